import type { KindErrors } from '../../domain/settings/agent-settings.ts'
import type { Instant } from '../../domain/words/time.ts'
import { oneLine } from './about.ts'
import type { Reading } from './reading.ts'
import { resetTime } from './reset-time.ts'
import { accountProblem } from './error-lines.ts'

/** The last lines of an output, which tell why a program ended; earlier messages are outdated. */
const LAST_LINES = 20

/**
 * Reads the end of a plain-text output for problems of the account: over its limit, or not logged in. The configured
 * patterns are tried before the defaults. The latest matching line counts.
 */
export const endingOf =
  ({ limited, unauthorized }: KindErrors) =>
  (output: string, at: Instant): readonly Reading[] => {
    const patterns = { limited: limited.map(compiled), unauthorized: unauthorized.map(compiled) }
    const lines = output.split('\n').filter((line) => line.trim() !== '')
    for (const line of lines.slice(-LAST_LINES).reverse()) {
      const said = oneLine(line, 500)
      if (patterns.limited.some((pattern) => pattern.test(line)))
        return [{ kind: 'limited', sentence: said, resetsAt: resetTime(line, at) }]
      if (patterns.unauthorized.some((pattern) => pattern.test(line))) return [{ kind: 'unauthorized', sentence: said }]
      const known = accountProblem(line, at)
      if (known.length > 0) return known
    }
    return []
  }

const compiled = (pattern: string): RegExp => new RegExp(pattern, 'i')
