import { Refusal } from '../../domain/rules/refusal.ts'
import { type Answer, type Call, type Command, does } from '../call/command.ts'
import { text } from '../call/values.ts'
import { several } from '../call/words.ts'
import { resolveBlockerOf } from './working-memory.ts'

/** One name for two commands: a conflict between sources (seed 001, one word) and a blocker (seed 002, three words). */
export const memoryResolve = (resolveSubject: (subject: string, call: Call) => Promise<Answer>): Command =>
  does({
    path: 'memory resolve',
    summary: 'Resolve a conflict between sources about a SUBJECT, or a blocker (AGENT TEXT RESOLUTION)',
    words: { words: { ...several('WORD', 'SUBJECT, or AGENT TEXT RESOLUTION', text), given: true } },
    run: async ({ words: [first = '', ...rest] }, call) => {
      if (rest.length === 0) return resolveSubject(first, call)
      if (rest.length === 1)
        throw new Refusal(
          'invalid_input',
          "'memory resolve' takes one word, a subject, or three: agent, text of the blocker and resolution.",
        )
      return resolveBlockerOf(call, first, rest)
    },
    example: 'memory resolve dev "test server" "Got an account"',
  })
