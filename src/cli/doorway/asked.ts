import { InvalidArgumentError } from 'commander'
import type { DoorwayCall, DoorwayEnd } from '../../contracts/doorway.ts'
import { Refusal, type RefusalCode } from '../../domain/rules/refusal.ts'
import { type Answer, type Call, type Command, silence } from '../call/command.ts'
import { whyNoScreen } from '../call/screen.ts'
import { doorwayOperations } from './list.ts'

// The inner side of an agent's command line: its words as the input of an operation, and the end of a call as its answer.

/** The call of an operation for these words; undefined if the command, or one of the words, is not in the list. */
export const callOf = (
  command: Command,
  words: Readonly<Record<string, unknown>>,
  { streams, json, environment }: Call,
): DoorwayCall | undefined => {
  const keys = doorwayOperations.get(command.path)
  if (keys === undefined || Object.keys(words).some((key) => !keys.includes(key) && isGiven(words[key])))
    return undefined
  return {
    operation: command.path,
    input: Object.fromEntries(keys.flatMap((key) => (isGiven(words[key]) ? [[key, words[key]]] : []))),
    shown: {
      json,
      terminal: streams.stdoutIsTerminal,
      clears: whyNoScreen(streams.stdoutIsTerminal, environment) === undefined,
      columns: streams.columns?.() ?? null,
    },
  }
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)

/** The refusal of a command that is not in the list, or of another repository than the agent's own. */
export const notForAgents = ({ path }: Command, isOwn: boolean): Refusal =>
  new Refusal(
    'not_allowed',
    isOwn
      ? `'aiswarm ${path}'${doorwayOperations.has(path) ? ' with these options' : ''} is not for an agent in a sandbox.`
      : 'An agent in a sandbox works on its own repository. Omit --root.',
  )

/** The answer of a command for the end of its call; throws its refusal. */
export const answerOf = (end: DoorwayEnd): Answer => {
  if ('usage' in end) throw new InvalidArgumentError(end.usage)
  if ('refusal' in end) throw new Refusal(end.refusal.code as RefusalCode, end.refusal.message)
  if ('bug' in end) throw new Error(end.bug)
  const { json, text, code } = end.answer
  if (json === undefined && text === undefined) return { ...silence, code }
  return { json: json ?? null, text: text ?? '', code }
}
