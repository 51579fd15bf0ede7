import type { Instant } from '../../domain/words/time.ts'
import { oneLine } from './about.ts'
import type { Reading } from './reading.ts'
import { resetTime } from './reset-time.ts'

// A status stands alone or in JSON; `x.js:401:12` is a line of a file.
const unauthorized =
  /(?:^|[\s(]|":\s?)401(?![\d:])|unauthori[sz]ed|unauthenticated|authentication[ _](?:failed|error)|authentication fail|invalid (?:api|x-api)[- ]key|invalid_api_key|api key not valid|not logged in|please (?:run )?\/?log ?in|no authentication information|oauth token (?:has )?(?:expired|revoked)|must (?:specify|set) .*api_key/i

const limited =
  /(?:^|[\s(]|":\s?)(?:429|529)(?![\d:])|rate[ _-]?limit|too many requests|resource_exhausted|overloaded|quota|usage limit|(?:session|weekly|daily|spend|hit your|reached your|hourly|opus) limit|limit reached|insufficient[ _](?:quota|credit|balance)|credit balance is too low|at capacity|high demand|out of credits/i

/**
 * The problem of the account in an error of a CLI: over its limit, or not logged in. Only for sentences that are known
 * to be errors, because an agent may write about a rate limit in its code.
 */
export const accountProblem = (sentence: string, at?: Instant): readonly Reading[] => {
  // A JSON string inside a longer sentence counts too.
  const said = oneLine(sentence, 500)
  if (limited.test(said)) return [{ kind: 'limited', sentence: said, resetsAt: resetTime(sentence, at) }]
  if (unauthorized.test(said)) return [{ kind: 'unauthorized', sentence: said }]
  return []
}

/** The readings of an error: its known problem, otherwise a line for a person. */
export const errorReadings = (
  sentence: string,
  level: 'warn' | 'error',
  at?: Instant,
  known: readonly Reading[] = [],
): readonly Reading[] => {
  const said = [...known, ...lostSession(sentence), ...accountProblem(sentence, at)]
  return said.length > 0 ? said : [{ kind: 'note', level, text: oneLine(sentence, 500) }]
}

const sessionLost =
  /no conversation found|session (?:id )?\S*\s*(?:was )?not found|no (?:saved )?session (?:found|with|matches)|no rollout found|thread not found|invalid session|no sessions? found|could not find session|error resuming session|unknown session|no session, task, or name matched|no previous sessions/i

/** The session to be resumed does not exist. */
export const lostSession = (sentence: string): readonly Reading[] =>
  sessionLost.test(sentence) ? [{ kind: 'no_session', sentence: oneLine(sentence, 500) }] : []

/**
 * Reads a line that is not JSON, because the error stream goes to the same file. A line that mentions an error is read
 * as one; any other is for a person.
 */
export const plainLine = (line: string, at?: Instant): readonly Reading[] => {
  const said = oneLine(withoutColour(line.slice(0, 4000)), 500)
  if (said === '' || /^[[\]{}"]/.test(said)) return []
  const bad = /error|fail|denied|invalid|not found|not logged in|unauthori[sz]ed|limit|^No /i.test(said)
  return bad ? errorReadings(said, 'warn', at) : [{ kind: 'note', level: 'info', text: said }]
}

// oxlint-disable-next-line no-control-regex -- the sequences that colour a text begin with one
const withoutColour = (line: string): string => line.replace(/\u001b\[[0-9;]*m/g, '')
