/** Exit codes of a process for scripts. `unsettled`: a headless run ended with failed or waiting tasks, or a host was not drained in time. */
export const exitCodes = { done: 0, refused: 1, usage: 2, unsettled: 3, bug: 70 } as const
