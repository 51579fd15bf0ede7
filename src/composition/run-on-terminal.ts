import type { OnTerminal } from '../contracts/conversation.ts'

const ignore = (): void => {}

/** Runs the program of a conversation on the terminal of this process; a Ctrl-C there is for the program alone. */
export const lendTo = async ({ argv: [program, ...args], folder, environment }: OnTerminal): Promise<void> => {
  const { runOnTerminal } = await import('../effects/processes/process.ts')
  const own = process.listeners('SIGINT')
  process.removeAllListeners('SIGINT').on('SIGINT', ignore)
  try {
    await runOnTerminal(program!, args, folder, environment)
  } finally {
    process.off('SIGINT', ignore)
    for (const listener of own) process.on('SIGINT', listener)
  }
}
