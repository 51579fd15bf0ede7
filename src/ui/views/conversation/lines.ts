import { diffLines } from 'diff'
import type { Line } from '../../../../components/Lines.tsx'
import { cut, fold } from '../../../../components/base/fit.ts'
import type { ColourName } from '../../../../components/base/theme.ts'
import type { Edit } from '../../../domain/agent/conversation.ts'
import { usageOfRun, usedWords } from '../../../domain/budget/budget.ts'
import { bytes } from '../../../domain/words/counts.ts'
import { ours, safeLines, safeText, type SafeText, spelledOut } from '../../../domain/words/safe-text.ts'
import { clockTime } from '../../../domain/words/time.ts'
import type { MessageView } from '../../../operations/messages/messages.ts'
import type { RequestView } from '../../../operations/requests/requests.ts'
import type { ConversationRun } from '../../../operations/screens/conversation.ts'
import { messageText, talkText } from '../../../text/agents.ts'
import type { Block, CallBlock } from './blocks.ts'

// The rows of one block.

/** The facts on which the rows of a block depend, in addition to the block itself. */
export interface About {
  readonly width: number
  readonly opened: boolean
  readonly run: ConversationRun | undefined
  readonly message: MessageView | undefined
  readonly request: RequestView | undefined
}

/** Columns of the sign before a text. */
export const LEAD = 2

/** Blocks that show more when they are unfolded. */
export const folds = (block: Block): boolean =>
  block.kind === 'thought' ||
  (block.kind === 'call' && (block.command !== null || block.edits.length > 0 || (block.result ?? '') !== ''))

export const linesOf = (block: Block, about: About): readonly Line[] => {
  switch (block.kind) {
    case 'run':
      return about.run === undefined ? [] : runLines(about.run, about.width)
    case 'said':
      return spoken(block.text, about.width)
    case 'thought':
      return thoughtLines(block.text, about)
    case 'output':
      return drawn('', safeLines(block.text), about.width)
    case 'call':
      return callLines(block, about)
    case 'plan':
      return planLines(block, about.width)
    case 'asks':
      return askLines(block, about)
    case 'message':
      return about.message === undefined ? [] : messageLines(about.message, about.width)
    case 'note':
      return rows('!', block.text, about.width, { colour: block.level === 'error' ? 'red' : 'yellow' })
    case 'ended':
      return block.ok
        ? rows('–', talkText.ended, about.width, { dim: true })
        : rows('✗', talkText.endedBadly(block.text), about.width, { colour: 'red' })
    case 'gap':
      return rows('', talkText.gap(bytes(block.bytes)), about.width, { dim: true })
  }
}

type Look = Pick<Line, 'colour' | 'dim' | 'bold'>

const lead = (sign: string): SafeText => ours(sign.padEnd(LEAD))

/** Words of any number of lines, each folded, after a sign. A carriage return hides nothing before it. */
const rows = (sign: string, text: string, width: number, look: Look = {}): readonly Line[] =>
  drawn(sign, safeLines(text.replace(/\r+(?!\n)/g, '\n')), width, look)

const drawn = (sign: string, lines: readonly SafeText[], width: number, look: Look = {}): readonly Line[] =>
  lines
    .flatMap((line) => fold(plain(line), width))
    .map((line, at) => ({ lead: lead(at === 0 ? sign : ''), text: line, theirs: true, ...look }))

// Colours inside a folded text would continue in the next line.
// oxlint-disable-next-line no-control-regex -- colour sequences are what is taken out
const plain = (line: SafeText): SafeText => line.replace(/\u001b\[[0-9;:]*m/g, '') as SafeText

/** A blank row before words distinguishes them from what tools print. */
const spoken = (text: string, width: number): readonly Line[] => [blank, ...rows('', text.trim(), width)]

const blank: Line = { lead: lead(''), text: ours('') }

const runLines = (run: ConversationRun, width: number): readonly Line[] => {
  const used = usedWords(usageOfRun(run))
  const words = [
    talkText.run(run.agentId, run.run),
    ...(run.taskId === null ? [] : [talkText.about(run.taskId, run.attempt)]),
    ...(run.model === null ? [] : [run.model]),
    ...(run.resumed ? [talkText.resumed] : []),
    `${clockTime(run.startedAt)}${run.endedAt === null ? '' : `–${clockTime(run.endedAt)}`}`,
    run.endedAt === null ? talkText.goesOn : run.exitCode === null ? talkText.bySignal : talkText.exit(run.exitCode),
    ...(used === '' ? [] : [used]),
  ].join(', ')
  return fold(safeText(`── ${words} ──`), width + LEAD).map((line) => ({ lead: ours(''), text: line, bold: true }))
}

const thoughtLines = (text: string, { width, opened }: About): readonly Line[] =>
  opened
    ? rows('…', text.trim(), width, { dim: true })
    : [{ lead: lead('…'), text: safeText(cut(`${talkText.thought}: ${head(text)}`, width)), dim: true, theirs: true }]

const outcomes: Record<
  CallBlock['outcome'],
  { readonly sign: string; readonly colour?: ColourName; readonly word: string }
> = {
  open: { sign: '●', colour: 'cyan', word: '' },
  ok: { sign: '✓', colour: 'green', word: '' },
  failed: { sign: '✗', colour: 'red', word: talkText.failed },
  denied: { sign: '✗', colour: 'red', word: talkText.denied },
}

/** Folded, a call is one row: what it was, its change and its outcome. */
const callLines = (block: CallBlock, { width, opened }: About): readonly Line[] => {
  const { sign, colour, word } = outcomes[block.outcome]
  const { added, removed } = countsOf(block.edits)
  const after = [
    ...(word === '' ? [] : [word]),
    ...(block.edits.length === 0 ? [] : [talkText.changed(added, removed)]),
    ...(block.result === null || block.result === '' ? [] : [talkText.lines(lineCount(block.result))]),
  ].join(', ')
  const name = block.name === '' ? talkText.result : block.name
  const words = cut(`${name} ${head(block.about || block.command || '')}`, Math.max(10, width - after.length - 3))
  const first: Line = {
    lead: lead(sign),
    text: safeText(after === '' ? words : `${words} · ${after}`),
    theirs: true,
    ...(colour === undefined ? {} : { colour }),
  }
  return opened ? [first, ...inside(block, width)] : [first]
}

const inside = ({ command, edits, result, outcome }: CallBlock, width: number): readonly Line[] => [
  // Nothing of a command is hidden: a shell runs what a terminal would not show.
  ...(command === null ? [] : indented(spelledOut(command), '$', width, {})),
  ...edits.flatMap((edit) => [
    { lead: lead(''), text: safeText(edit.path), bold: true, theirs: true },
    ...bounded(changesOf(edit), ({ sign, text }) =>
      fold(spelledOut(text.replace(/\r$/, ''))[0]!, Math.max(10, width - 4)).map((line, at) => ({
        lead: ours(`  ${at === 0 ? sign : ' '} `),
        text: line,
        theirs: true,
        ...(sign === '+' ? { colour: 'green' as const } : sign === '-' ? { colour: 'red' as const } : { dim: true }),
      })),
    ),
  ]),
  ...(result === null || result === ''
    ? []
    : indented(
        safeLines(result.replace(/\n+$/, '')),
        '',
        width,
        outcome === 'ok' || outcome === 'open' ? { dim: true } : { colour: 'red' },
      )),
]

const indented = (lines: readonly SafeText[], sign: string, width: number, look: Look): readonly Line[] =>
  bounded(lines, (line, at) =>
    fold(plain(line), Math.max(10, width - 4)).map((piece, n) => ({
      lead: ours(`  ${at === 0 && n === 0 && sign !== '' ? sign : ' '} `),
      text: piece,
      theirs: true,
      ...look,
    })),
  )

/** The most lines of a result or a change that are shown; copying takes all. */
const MOST = 400

const bounded = <T>(items: readonly T[], draw: (item: T, at: number) => readonly Line[]): readonly Line[] => {
  const drawn = items.slice(0, MOST).flatMap(draw)
  return items.length <= MOST
    ? drawn
    : [...drawn, { lead: ours('    '), text: ours(talkText.moreLines(items.length - MOST)), dim: true }]
}

const planLines = ({ steps }: Extract<Block, { kind: 'plan' }>, width: number): readonly Line[] => [
  blank,
  ...rows('', talkText.plan(steps.filter(({ state }) => state === 'done').length, steps.length), width, { bold: true }),
  ...steps.flatMap(({ text, state }) =>
    rows(state === 'done' ? '✓' : state === 'doing' ? '◐' : '○', text, width, {
      ...(state === 'doing' ? { colour: 'cyan' } : {}),
      dim: state === 'done',
    }),
  ),
]

const askLines = ({ tool, about }: Extract<Block, { kind: 'asks' }>, { width, request }: About): readonly Line[] => {
  const outcome =
    request === undefined
      ? talkText.asked
      : request.status === 'open'
        ? talkText.answers.open
        : [
            talkText.answers[request.status],
            ...(request.answeredBy === null ? [] : [talkText.by(request.answeredBy)]),
            ...(request.answer === null || request.answer === '' ? [] : [`‘${head(request.answer)}’`]),
          ].join(' ')
  const isOpen = request?.status === 'open'
  return rows('?', `${talkText.asks} ${tool} ${head(about)}: ${outcome}`, width, {
    colour: 'magenta',
    bold: isOpen,
  })
}

const messageLines = (message: MessageView, width: number): readonly Line[] => {
  const state = messageText.states[message.status]
  const at = message.endedAt ?? message.handedOverAt
  const receipt = `${state}${at === null ? '' : ` ${clockTime(at)}`}${message.reason === null ? '' : ` (${message.reason})`}`
  const look: Look = message.status === 'refused' ? { colour: 'red' } : { colour: 'cyan' }
  return [
    blank,
    ...rows('→', talkText.message(message.author, messageText.whens[message.when], receipt), width, {
      ...look,
      bold: true,
    }),
    ...rows('', message.kind === 'stop' ? messageText.stop : message.text, width, look),
  ]
}

const head = (text: string): string => text.slice(0, 400).replace(/\s+/g, ' ').trim()

const lineCount = (text: string): number => text.replace(/\n+$/, '').split('\n').length

/** The whole text of a block, for the clipboard. */
export const textOf = (block: Block, about: About): string => {
  if (block.kind !== 'call')
    return linesOf(block, { ...about, opened: true, width: Number.MAX_SAFE_INTEGER })
      .map(({ lead: before, text }) => `${(before ?? '').trim() === '' ? '' : `${(before ?? '').trim()} `}${text}`)
      .join('\n')
      .trim()
  return [
    `${block.name} ${block.command ?? block.about}`.trim(),
    ...block.edits.flatMap((edit) => [edit.path, ...changesOf(edit).map(({ sign, text }) => `${sign}${text}`)]),
    ...(block.result === null ? [] : [block.result]),
  ].join('\n')
}

/** One line of a change. */
interface ChangedLine {
  readonly sign: '+' | '-' | ' '
  readonly text: string
}

/** Larger texts are not compared: all their lines count as replaced (characters). */
const COMPARED = 100_000

/** Unchanged lines that are shown around a change. */
const AROUND = 3

/** The changed lines of an edit with the lines around them; computed once for each edit. */
const changesOf = (edit: Edit): readonly ChangedLine[] => {
  const known = computed.get(edit)
  if (known) return known
  const lines =
    edit.before.length + edit.after.length > COMPARED || edit.before === ''
      ? [...signed('-', edit.before), ...signed('+', edit.after)]
      : compared(edit)
  computed.set(edit, lines)
  return lines
}

const computed = new WeakMap<Edit, readonly ChangedLine[]>()

/** The numbers of added and removed lines. */
const countsOf = (edits: readonly Edit[]): { readonly added: number; readonly removed: number } => {
  const lines = edits.flatMap(changesOf)
  const count = (wanted: string): number => lines.filter(({ sign }) => sign === wanted).length
  return { added: count('+'), removed: count('-') }
}

const signed = (sign: ChangedLine['sign'], text: string): readonly ChangedLine[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => ({ sign, text: line }))

const compared = ({ before, after }: Edit): readonly ChangedLine[] => {
  const parts = diffLines(before, after)
  return parts.flatMap(({ added, removed, value }, at): readonly ChangedLine[] => {
    if (added) return signed('+', value)
    if (removed) return signed('-', value)
    const lines = signed(' ', value)
    return lines.filter((_, n) => (at > 0 && n < AROUND) || (at < parts.length - 1 && n >= lines.length - AROUND))
  })
}
