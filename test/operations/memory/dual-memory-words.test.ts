import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addConversation, retrieveConversation } from '../../../src/operations/memory/conversations.ts'
import { addExecution, retrieveExecution } from '../../../src/operations/memory/executions.ts'
import { openCore } from '../../support/core.ts'
import { dose } from '../../support/dose.ts'

// Letters, operators of FTS5, quotes, control characters and lone surrogates.
const piece = fc.oneof(
  fc.constantFrom(
    'AND',
    'OR',
    'NOT',
    'NEAR(a b)',
    '"',
    "'",
    '*',
    '^',
    '(',
    ')',
    ':',
    '-',
    '{a}',
    'C++',
    'snake_case',
    'a-b',
    'user_input:x',
    '\u0001',
    '\ud800',
    '😀',
    'É',
    'ß',
    '北京',
    '\u001b[31m',
    '%',
    '_',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)
/** Without NUL, which no text may have. */
const word = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join('').replaceAll('\0', ' '))

const wordsOf = (text: string): readonly string[] => text.split(/\s+/)

/** Lower case, as far as SQLite's tables of Unicode 6.1 are reliable. */
const folded = (text: string): string => text.replace(/[A-ZÀ-ÖØ-Þ]/g, (letter) => letter.toLowerCase())

/** The characters that SQLite's tokenizer searches for: letters and digits of common scripts, without their symbols. */
const hasLetters = (text: string): boolean => /[A-Za-z0-9À-ÖØ-öø-ɏ一-龥]/u.test(text)

it(
  'a record is found by any of its words, whatever its characters, and no query is an error',
  { timeout: 600_000 },
  async () => {
    const { perform: run } = await openCore()
    const runs = dose(300, 60)
    let at = 0
    let found = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1, maxLength: 6 }),
        fc.array(word, { minLength: 1, maxLength: 6 }),
        fc.nat(),
        async (said, other, pick) => {
          const [userId, messageId] = [`user ${++at}`, `m${at}`]
          const text = `${said.join(' ')} end`
          await run(addConversation, { userId, messageId, userInput: text, agentResponse: 'x' })
          await run(addExecution, {
            userId,
            messageId,
            summary: 'x',
            toolsUsed: [],
            errors: [{ error_type: 'E', error_message: text }],
            observations: '',
            success: true,
          })
          const words = wordsOf(text).filter((one) => one !== '')
          const wanted = words.slice(pick % (words.length + 1)).concat(words.slice(0, 1))
          for (const query of [wanted.join(' '), folded(wanted.join('\n'))]) {
            if (!hasLetters(query)) continue
            found += 1
            expect(
              (await run(retrieveConversation, { userId, query, limit: 10 })).total,
              JSON.stringify([text, query]),
            ).toBe(1)
            expect(
              (await run(retrieveExecution, { userId, query, limit: 10 })).total,
              JSON.stringify([text, query]),
            ).toBe(1)
          }
          await run(retrieveConversation, { userId, query: other.join(' '), limit: 10 })
          await run(retrieveExecution, { userId, query: other.join(' '), limit: 10 })
        },
      ),
      { numRuns: runs },
    )
    expect(found, 'how many queries had a word to search for: most have').toBeGreaterThan(runs)
  },
)
