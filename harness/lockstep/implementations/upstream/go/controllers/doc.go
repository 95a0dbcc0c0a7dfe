// Package controllers holds one file for each upstream controller that can run in a bubble, and what they share. Build
// tags say which of them a release has: kubernetes, vpa.
package controllers
