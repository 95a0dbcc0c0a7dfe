"""Mutating admission webhooks: which are called for a request, what is sent to them, and what their answer changes.

The server answers requests without waiting, and a webhook takes its time. So a request that needs an answer is given
back unfinished, with the question (`Reply.review`). The caller asks the webhook, notes the answer in the request's
`Hearing`, and sends the request again. Nothing has been stored by then, so the second attempt differs from the first
only by the noted answers. If the object has changed in the meantime, the question has changed too and is asked again,
as upstream does on a conflict.
"""
