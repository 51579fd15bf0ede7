import type { Instant } from '../domain/time.ts'
import { oneLine } from './about.ts'
import type { Reading } from './reading.ts'
import { resetTime } from './reset-time.ts'

// A status stands alone or in JSON; `x.js:401:12` is a line of a file.
const unauthorized =
  /(?:^|[\s(]|":\s?)401(?![\d:])|unauthori[sz]ed|unauthenticated|authentication[ _](?:failed|error)|authentication fail|invalid (?:api|x-api)[- ]key|invalid_api_key|api key not valid|not logged in|please (?:run )?\/?log ?in|no authentication information|oauth token (?:has )?(?:expired|revoked)|must (?:specify|set) .*api_key/i

const limited =
  /(?:^|[\s(]|":\s?)(?:429|529)(?![\d:])|rate[ _-]?limit|too many requests|resource_exhausted|overloaded|quota|usage limit|(?:session|weekly|daily|spend|hit your|reached your|hourly|opus) limit|limit reached|insufficient[ _](?:quota|credit|balance)|credit balance is too low|at capacity|high demand|out of credits/i

/**
 * What an error of a CLI means for the account: over its limit, or not logged in. Only for sentences that are known to
 * be errors: an agent may well speak about a rate limit in the code that it writes.
 */
export const trouble = (sentence: string, at?: Instant): readonly Reading[] => {
  // A sentence of JSON in a longer one is all the same a sentence.
  const said = oneLine(sentence, 500)
  if (limited.test(said)) return [{ kind: 'limited', sentence: said, resetsAt: resetTime(sentence, at) }]
  if (unauthorized.test(said)) return [{ kind: 'unauthorized', sentence: said }]
  return []
}

/** What an error comes to: what is known of it, else a line for a person. */
export const complaint = (sentence: string, level: 'warn' | 'error', at?: Instant, known: readonly Reading[] = []): readonly Reading[] => {
  const said = [...known, ...lostSession(sentence), ...trouble(sentence, at)]
  return said.length > 0 ? said : [{ kind: 'note', level, text: oneLine(sentence, 500) }]
}

const sessionLost =
  /no conversation found|session (?:id )?\S*\s*(?:was )?not found|no (?:saved )?session (?:found|with|matches)|no rollout found|thread not found|invalid session|no sessions? found|could not find session|error resuming session|unknown session|no session, task, or name matched|no previous sessions/i

/** The session that was to be resumed is not there. */
export const lostSession = (sentence: string): readonly Reading[] => (sessionLost.test(sentence) ? [{ kind: 'no_session', sentence: oneLine(sentence, 500) }] : [])

/**
 * A line that is no JSON: an error stream goes into the same file. Words that speak of an error are looked at as one;
 * anything else is for a person to read.
 */
export const plainLine = (line: string, at?: Instant): readonly Reading[] => {
  const said = oneLine(withoutColour(line.slice(0, 4000)), 500)
  if (said === '' || /^[[\]{}"]/.test(said)) return []
  const bad = /error|fail|denied|invalid|not found|not logged in|unauthori[sz]ed|limit|^No /i.test(said)
  return bad ? complaint(said, 'warn', at) : [{ kind: 'note', level: 'info', text: said }]
}

// eslint-disable-next-line no-control-regex -- the sequences that colour a text begin with one
const withoutColour = (line: string): string => line.replace(/\u001b\[[0-9;]*m/g, '')
