import { Refusal } from '../../domain/rules/refusal.ts'
import type { Connection } from '../../operations/door/connection.ts'

/** A typed answer counts only in a terminal in which a person has logged in. `what` is a gerund and its object. */
export const needLogin = async ({ outside }: Connection, what: string): Promise<void> => {
  const why = await outside.whyNoLogin()
  if (why !== undefined)
    throw new Refusal(
      'needs_terminal',
      `${what} needs a person at their own terminal: ${why}. Use a terminal that was open before the agents started, or the console ('aiswarm').`,
    )
}
