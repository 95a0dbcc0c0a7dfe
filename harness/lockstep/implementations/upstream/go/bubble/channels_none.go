//go:build !never_exit_watch

package bubble

// remakeChannels has nothing to do: this client-go has no channel that outlives a bubble.
func remakeChannels() {}
