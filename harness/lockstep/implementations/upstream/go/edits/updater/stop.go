package logic

// Stop ends the informer of VPAs, for which upstream makes a channel that is never closed. Set before NewUpdater.
var Stop <-chan struct{}
