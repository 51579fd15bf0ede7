import { ours, safeText } from '../../domain/safe-text.ts'
import { duration, elapsed } from '../../domain/time.ts'
import type { Turn } from '../../operations/read-trail.ts'
import type { Line } from '../../../components/Lines.tsx'
import { fact, paragraph, usageWords } from '../detail-lines.ts'
import { longText, section } from './text-lines.ts'
import { inARow, longTime } from './words.ts'

/** What was said and done, turn by turn, oldest first. */
export const turnLines = (turns: readonly Turn[], width: number): readonly Line[] =>
  turns.flatMap((turn, index) => [...(index === 0 ? [] : [{ text: ours('') }]), ...headLines(turn, width), ...saidLines(turn, width), ...doneLines(turn, width)])

const headLines = ({ messageId, attempt, conversation, execution }: Turn, width: number): readonly Line[] => {
  if (!attempt)
    return [...fact('message', messageId), ...fact('when', longTime((conversation ?? execution)?.at ?? '')), ...metaFacts(conversation?.metaData ?? execution?.metaData ?? {})]
  const { agentId, claimedAt, endedAt, outcome, error } = attempt
  const how = endedAt === null ? 'under way' : `${outcome} after ${duration(elapsed(claimedAt, endedAt))}`
  const failed = outcome !== null && outcome !== 'completed'
  return [
    {
      text: ours(`${outcome === null ? '●' : failed ? '✗' : '✓'} Attempt ${attempt.attempt}  ${safeText(agentId)}  ${how}`),
      bold: true,
      colour: outcome === null ? 'green' : failed ? 'red' : 'cyan',
    },
    ...fact('began', longTime(claimedAt)),
    ...fact('message', messageId),
    ...fact('tokens', usageWords(attempt).replace(/^, /, '')),
    ...(failed && error !== null ? paragraph(`error: ${error}`, width).map((line): Line => ({ ...line, colour: 'red' })) : []),
  ]
}

/** Facts that came with a record, those that are plain values. */
const metaFacts = (metaData: Readonly<Record<string, unknown>>): readonly Line[] =>
  Object.entries(metaData)
    .slice(0, 20)
    .flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? fact(safeText(name.slice(0, 13)), String(value).slice(0, 200)) : [],
    )

const saidLines = ({ attempt, conversation }: Turn, width: number): readonly Line[] => {
  if (!conversation) return [{ text: ours(attempt && attempt.endedAt === null ? 'What it says is remembered once it has ended.' : 'Nothing that was said is stored.'), dim: true }]
  const whole = "'aiswarm memory conversations search --message-id' prints all of it"
  return [...section('Prompt', longText(conversation.userInput, width, whole)), ...section('Answer', longText(conversation.agentResponse, width, whole))]
}

const doneLines = ({ attempt, execution }: Turn, width: number): readonly Line[] => {
  if (!execution) return attempt ? [] : [{ text: ours('') }, { text: ours('No execution belongs to it.'), dim: true }]
  const { success, durationMs, summary, toolsUsed, errors, observations, metaData } = execution
  const further = typeof metaData['further_tools'] === 'number' ? `, and ${metaData['further_tools']} calls more` : ''
  return [
    ...section(
      `Execution ${success ? '✓ succeeded' : '✗ failed'}`,
      [...fact('duration', durationMs === null ? 'unknown' : durationMs < 1000 ? `${durationMs} ms` : duration(durationMs)), ...paragraph(summary, width)],
      success ? 'green' : 'red',
    ),
    ...section(`Tools (${toolsUsed.length})`, toolsUsed.length === 0 ? [] : paragraph(`${inARow(toolsUsed)}${further}`, width)),
    ...section(
      `Errors (${errors.length})`,
      errors.flatMap((error) => paragraph([error['tool'], error.error_type, error.error_message].filter((part) => typeof part === 'string').join(': '), width)),
      'red',
    ),
    ...section('Observations', observations === '' ? [] : longText(observations, width, '')),
  ]
}
