import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { duration, elapsed } from '../../../domain/words/time.ts'
import type { Turn } from '../../../operations/memory/trail.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { fact, paragraph, usageWords, written } from '../../rows/lines.ts'
import { longText, section } from './text-lines.ts'
import { inARow, longTime } from './words.ts'
import { commonText } from '../../../text/common.ts'
import { recordFacts, turnText } from '../../../text/memory.ts'

/** Conversations and executions, turn by turn, oldest first. */
export const turnLines = (turns: readonly Turn[], width: number): readonly Line[] =>
  turns.flatMap((turn, index) => [
    ...(index === 0 ? [] : [{ text: ours('') }]),
    ...headLines(turn, width),
    ...saidLines(turn, width),
    ...doneLines(turn, width),
  ])

const headLines = ({ messageId, attempt, conversation, execution }: Turn, width: number): readonly Line[] => {
  if (!attempt)
    return [
      ...fact(recordFacts.message, messageId),
      ...fact(recordFacts.when, longTime((conversation ?? execution)?.at ?? '')),
      ...metaFacts(conversation?.metaData ?? execution?.metaData ?? {}),
    ]
  const { agentId, claimedAt, endedAt, outcome, error } = attempt
  const how =
    endedAt === null ? commonText.underWay : turnText.outcomeAfter(outcome, duration(elapsed(claimedAt, endedAt)))
  const failed = outcome !== null && outcome !== 'completed'
  return [
    {
      text: ours(
        `${outcome === null ? '●' : failed ? '✗' : '✓'} ${turnText.attempt(attempt.attempt, safeText(agentId), how)}`,
      ),
      bold: true,
      colour: outcome === null ? 'green' : failed ? 'red' : 'cyan',
    },
    ...fact(recordFacts.began, longTime(claimedAt)),
    ...fact(recordFacts.message, messageId),
    ...fact(recordFacts.tokens, usageWords(attempt).replace(/^, /, '')),
    ...(failed && error !== null
      ? written(turnText.error(error), width).map((line): Line => ({ ...line, colour: 'red' }))
      : []),
  ]
}

/** The facts in a record's metadata that are plain values. */
const metaFacts = (metaData: Readonly<Record<string, unknown>>): readonly Line[] =>
  Object.entries(metaData)
    .slice(0, 20)
    .flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? fact(safeText(name.slice(0, 13)), String(value).slice(0, 200))
        : [],
    )

const saidLines = ({ attempt, conversation }: Turn, width: number): readonly Line[] => {
  if (!conversation)
    return [
      { text: ours(attempt && attempt.endedAt === null ? turnText.notEndedYet : turnText.nothingStored), dim: true },
    ]
  const whole = turnText.wholeConversation
  return [
    ...section(turnText.prompt, longText(conversation.userInput, width, whole)),
    ...section(turnText.answer, longText(conversation.agentResponse, width, whole)),
  ]
}

const doneLines = ({ attempt, execution }: Turn, width: number): readonly Line[] => {
  if (!execution) return attempt ? [] : [{ text: ours('') }, { text: ours(turnText.noExecution), dim: true }]
  const { success, durationMs, summary, toolsUsed, errors, observations, metaData } = execution
  const further = typeof metaData['further_tools'] === 'number' ? turnText.furtherCalls(metaData['further_tools']) : ''
  return [
    ...section(
      turnText.execution(success),
      [
        ...fact(
          recordFacts.duration,
          durationMs === null ? commonText.unknown : durationMs < 1000 ? `${durationMs} ms` : duration(durationMs),
        ),
        ...written(summary, width),
      ],
      success ? 'green' : 'red',
    ),
    ...section(
      turnText.tools(toolsUsed.length),
      toolsUsed.length === 0 ? [] : paragraph(`${inARow(toolsUsed)}${further}`, width),
    ),
    ...section(
      turnText.errors(errors.length),
      errors.flatMap((error) =>
        written(
          [error['tool'], error.error_type, error.error_message].filter((part) => typeof part === 'string').join(': '),
          width,
        ),
      ),
      'red',
    ),
    ...section(turnText.observations, observations === '' ? [] : longText(observations, width, '')),
  ]
}
