import { person } from '../../domain/agent/actor.ts'
import { isReadOnly, isRefusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import { perform } from '../../operations/perform/perform.ts'
import { beginSession } from '../../operations/sessions/begin-session.ts'
import type { World } from '../world.ts'

/** How often a board that takes no writes is asked again (ms). */
const AGAIN = 2000

interface ConsoleSession {
  /** Why the board takes no writes now; undefined if it does. */
  readonly closed: () => string | undefined
  /** Asks no more. */
  readonly stop: () => void
}

/**
 * Begins the session of a console, or continues it. A board that this program may only read (a replica, the board of a newer
 * aiswarm) is shown all the same, and its session begins when the board takes writes.
 */
export const sessionOfConsole = async ({ core, report }: World): Promise<ConsoleSession> => {
  let timer: NodeJS.Timeout | undefined
  let closed: string | undefined
  const begin = async (): Promise<void> => {
    await perform(core, beginSession, {}, person)
    closed = undefined
  }
  const later = (): void => {
    timer = setTimeout(
      () =>
        void begin().catch((error: unknown) =>
          // A server that is away meanwhile is the matter of all that read from it.
          asRefusal(error) ? later() : report(`session: ${error instanceof Error ? error.stack : String(error)}`),
        ),
      AGAIN,
    )
    timer.unref()
  }
  const stop = (): void => clearTimeout(timer)
  try {
    await begin()
    return { closed: () => closed, stop }
  } catch (error) {
    if (!isRefusal(error) || !isReadOnly(error)) throw error
    closed = error.message
    later()
    return { closed: () => closed, stop }
  }
}
