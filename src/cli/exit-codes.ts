/** What the exit code of a process tells a script. `unsettled`: a headless run ended with failed or waiting tasks. */
export const exitCodes = { done: 0, refused: 1, usage: 2, unsettled: 3, bug: 70 } as const
