import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addConversation } from '../../src/operations/add-conversation.ts'
import { addExecution } from '../../src/operations/add-execution.ts'
import { retrieveConversation } from '../../src/operations/retrieve-conversation.ts'
import { retrieveExecution } from '../../src/operations/retrieve-execution.ts'
import { openCore } from '../support/core.ts'

// Letters, operators of FTS5, quotes, control characters, halves of surrogate pairs.
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
    '\0',
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
const word = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''))

const wordsOf = (text: string): readonly string[] => text.replaceAll('\0', ' ').split(/\s+/)

/** In lower case, as far as SQLite's tables of Unicode 6.1 go for sure. */
const folded = (text: string): string => text.replace(/[A-ZÀ-ÖØ-Þ]/g, (letter) => letter.toLowerCase())

/** What SQLite's tokenizer has something to look for in: letters and digits of common scripts, not the symbols that belong to them. */
const hasLetters = (text: string): boolean => /[A-Za-z0-9À-ÖØ-öø-ɏ一-龥]/u.test(text)

it('a record is found by any of its words, whatever they are made of, and no query is an error', { timeout: 600_000 }, async () => {
  const { perform: run } = await openCore()
  let at = 0
  let found = 0
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 6 }), fc.array(word, { minLength: 1, maxLength: 6 }), fc.nat(), async (said, other, pick) => {
      const [userId, messageId] = [`user ${++at}`, `m${at}`]
      const text = `${said.join(' ')} end`
      await run(addConversation, { userId, messageId, userInput: text, agentResponse: 'x' })
      await run(addExecution, { userId, messageId, summary: 'x', toolsUsed: [], errors: [{ error_type: 'E', error_message: text }], observations: '', success: true })
      const words = wordsOf(text).filter((one) => one !== '')
      const wanted = words.slice(pick % (words.length + 1)).concat(words.slice(0, 1))
      for (const query of [wanted.join(' '), folded(wanted.join('\n'))]) {
        if (!hasLetters(query)) continue
        found += 1
        expect((await run(retrieveConversation, { userId, query, limit: 10 })).total, JSON.stringify([text, query])).toBe(1)
        expect((await run(retrieveExecution, { userId, query, limit: 10 })).total, JSON.stringify([text, query])).toBe(1)
      }
      await run(retrieveConversation, { userId, query: other.join(' '), limit: 10 })
      await run(retrieveExecution, { userId, query: other.join(' '), limit: 10 })
    }),
    { numRuns: 300 },
  )
  expect(found).toBeGreaterThan(100)
})
