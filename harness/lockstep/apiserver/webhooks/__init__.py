"""Mutating admission webhooks: which are asked about a request, what they are told, and what becomes of their answer.

The server answers requests without waiting, and a webhook takes its time. So a request that needs an answer is given
back unfinished, with the question (`Reply.review`); whoever carried it asks, notes the answer in the request's
`Hearing`, and hands the request in again. Nothing has been stored by then, so the second try differs from the first
only in what it knows. If the object has changed in the meantime the question has too, and is asked anew, as upstream
does on a conflict.
"""
