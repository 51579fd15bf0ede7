import { allowedByCommand, allowedByConsole, denied, deniedInWords, permission } from './asking.ts'
import { quota, stalled, unauthorized } from './failing.ts'
import type { Case } from './play.ts'
import { forked, saying, stopped, takenOver } from './talking.ts'
import { whyNotAsked, whyNotResumed } from './ways.ts'
import type { Cli } from './clis.ts'
import { idle, killed, resumed, servers, work } from './working.ts'

/** A row of the table; `cannot` says why a CLI has no such case, in the words of the program. */
interface Row {
  readonly play: Case
  readonly cannot?: (cli: Cli) => string | undefined
}

/** The rows of the table, in the order in which they run. */
export const cases: Readonly<Record<string, Row>> = {
  work: { play: work },
  permission: { play: permission },
  allowed: { play: allowedByCommand, cannot: whyNotAsked },
  console: { play: allowedByConsole, cannot: whyNotAsked },
  denied: { play: denied, cannot: whyNotAsked },
  words: { play: deniedInWords, cannot: whyNotAsked },
  say: { play: saying('now') },
  'say-later': { play: saying('turn') },
  stop: { play: stopped },
  'take-over': { play: takenOver },
  fork: { play: forked },
  killed: { play: killed },
  resumed: { play: resumed, cannot: whyNotResumed },
  '401': { play: unauthorized },
  quota: { play: quota },
  stalled: { play: stalled },
  servers: { play: servers },
  idle: { play: idle },
}
