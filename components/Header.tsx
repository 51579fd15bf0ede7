import type { SessionState } from '../src/domain/session/session.ts'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import { headerText } from '../src/text/panes.ts'
import { Paint, type PaintProps } from './base/Paint.tsx'
import { barRows } from './base/bars.ts'
import { cut, widthOf } from './base/fit.ts'
import { sessionLooks } from './base/look.ts'

export interface HeaderProps {
  readonly repository: SafeText
  readonly branch: SafeText
  /** The engine of the board if it is a server, and whether its notifications arrive. */
  readonly store?: { readonly engine: SafeText; readonly polled: boolean } | null
  /** `summary` is the result of an ended session. */
  readonly session:
    { readonly id: SafeText; readonly status: SessionState; readonly summary: SafeText | null } | null | 'unknown'
  readonly paused: boolean
  /** The process that runs the loops if this one does not; null if none does. */
  readonly supervisedElsewhere: { readonly pid: number | null; readonly hosts?: number } | null
  /** Since when the board does not answer, so that all that is shown is as it last was. */
  readonly cutOff?: SafeText | null
  /** The reason why nothing is started, although it could be. */
  readonly hold?: SafeText | null
  /** Why nothing is confined; `chosen` if a person switched that off. */
  readonly unconfined?: { readonly why: SafeText; readonly chosen: boolean; readonly refused?: boolean } | null
  readonly agents: { readonly running: number; readonly most: number }
  /** Null if unknown. */
  readonly tasks: { readonly done: number; readonly all: number } | null
  readonly waiting: number
  /** The cost of the session and its limit: `$3.10/5.00`; empty if unknown. */
  readonly cost: SafeText
  /** Recently ended attempts, one value per column; null if there is no room. */
  readonly pace: {
    readonly completed: readonly number[]
    readonly failed: readonly number[]
    readonly plain: boolean
  } | null
  readonly width: number
}

/** One line. Parts that do not fit are dropped, the least important first. */
export const Header = (props: HeaderProps) => {
  const parts = fitting(partsOf(props), props.width - 1)
  const used = parts.reduce((sum, part) => sum + widthOf(part.text) + 2, 0)
  const gap = Math.max(0, props.width - 1 - used)
  return (
    <Paint label={parts.map(({ said, text }) => said ?? text).join(', ')}>
      {' '}
      {parts.map(({ key, text, said: _said, shorter: _shorter, least: _least, order: _, ...paint }) => (
        <Paint
          key={key}
          {...paint}
        >{`${text}${key === parts.at(-1)?.key ? '' : '  '}${key === 'branch' || key === 'state' ? ' '.repeat(Math.floor(gap / 2)) : ''}`}</Paint>
      ))}
    </Paint>
  )
}

/**
 * The parts that have room. Longer texts are shortened first, then one part after the other is dropped; what stops the
 * work is cut rather than dropped.
 */
const fitting = (parts: readonly Part[], width: number): readonly Part[] => {
  const over = parts.reduce((sum, part) => sum + widthOf(part.text) + 2, 0) - 2 - width
  if (over <= 0 || parts.length <= 1) return parts
  const last = Math.max(...parts.map((part) => part.order))
  const canShorten = ({ order, shorter = [] }: Part): boolean =>
    // The shortest form of what stops the work would leave out since when, or how much.
    shorter.length > (order <= STOPS && last >= OTHERS ? 1 : 0)
  const long = last < BESIDE ? parts.filter(canShorten) : []
  if (long.length > 0) {
    // One at a time: a short text would not make room for a long one.
    const least = long.reduce((one, other) => (other.order > one.order ? other : one))
    return fitting(
      parts.map((part) => (part === least ? shortened(part) : part)),
      width,
    )
  }
  const dropped = parts.findLast((part) => part.order === last)!
  const { least, ...rest } = dropped
  if (least !== undefined)
    return fitting(
      parts.map((part) => (part === dropped ? { ...rest, text: least } : part)),
      width,
    )
  const room = widthOf(dropped.text) - over
  return last <= STOPS && room >= LEAST
    ? parts.map((part) => (part === dropped ? { ...part, text: cut(part.text, room) } : part))
    : fitting(
        parts.filter((part) => part !== dropped),
        width,
      )
}

/** From this order on a part is dropped before another one is shortened. */
const BESIDE = 10
/** Up to this order a part says why the work stands still. */
const STOPS = 1
/** From this order on a part is dropped before such a reason has its shortest form. */
const OTHERS = 4
/** A reason with less room says nothing. */
const LEAST = 12

const shortened = ({ shorter = [], ...part }: Part): Part => ({ ...part, text: shorter[0]!, shorter: shorter.slice(1) })

// The parts of the header.

interface Part extends PaintProps {
  readonly key: string
  readonly text: string
  /** The text for a screen reader. */
  readonly said?: string
  /** Shorter forms, the longest first, which are used before a part below `BESIDE` is dropped. */
  readonly shorter?: readonly string[]
  /** The form that it has before it is dropped. */
  readonly least?: string
  /** Parts with a larger number are dropped first. */
  readonly order: number
}

const partsOf = ({
  repository,
  branch,
  store,
  session,
  paused,
  supervisedElsewhere,
  cutOff,
  hold,
  unconfined,
  agents,
  tasks,
  waiting,
  cost,
  pace,
}: HeaderProps): Part[] => [
  { key: 'name', text: 'aiswarm', order: 9, bold: true },
  { key: 'repository', text: repository, order: 3, bold: true },
  ...storeParts(store ?? null),
  { key: 'branch', text: branch, order: 6, colour: 'cyan' },
  ...(session !== null && session !== 'unknown' ? [{ key: 'session', text: session.id, order: 11, dim: true }] : []),
  ...(cutOff ? [cutOffPart(cutOff)] : []),
  ...(hold ? [holdPart(hold)] : []),
  paused
    ? { key: 'state', text: `‖ ${headerText.paused}`, said: headerText.paused, order: 1, colour: 'yellow' }
    : statePart(session),
  ...supervisorParts(supervisedElsewhere),
  ...sandboxParts(unconfined ?? null),
  {
    key: 'agents',
    text: headerText.agents(agents.running, agents.most),
    said: headerText.agentsHeard(agents.running, agents.most),
    order: 2,
  },
  ...taskParts(tasks),
  ...paceParts(pace),
  ...(cost === '' ? [] : [{ key: 'cost', text: cost, order: 5 }]),
  ...(waiting > 0
    ? [
        {
          key: 'waiting',
          text: `⚑ ${headerText.waits(waiting)}`,
          said: headerText.waits(waiting),
          order: 0,
          colour: 'magenta' as const,
          bold: true,
        },
      ]
    : []),
]

const cutOffPart = (since: SafeText): Part => ({
  key: 'cut-off',
  text: `⚠ ${headerText.cutOff(since)}`,
  shorter: [`⚠ ${headerText.cutOffSince(since)}`, `⚠ ${headerText.cutOffShort}`],
  said: headerText.cutOff(since),
  order: 0,
  colour: 'red',
  bold: true,
})

/** Before a colon the reason says what is wrong, after it how much, and after a semicolon what to do. */
const holdPart = (hold: SafeText): Part => ({
  key: 'hold',
  text: `⚠ ${hold}`,
  shorter: [...new Set([hold.split('; ')[0]!, hold.split(/: |; /)[0]!])]
    .filter((part) => part !== hold)
    .map((part) => `⚠ ${part}`),
  said: hold,
  order: 1,
  bold: true,
  colour: 'yellow',
})

const storeParts = (store: HeaderProps['store']): Part[] =>
  !store
    ? []
    : store.polled
      ? [
          {
            key: 'store',
            text: `${store.engine} ⚠ ${headerText.polled}`,
            shorter: [`⚠ ${headerText.polled}`],
            order: 3,
            colour: 'yellow',
          },
        ]
      : [{ key: 'store', text: store.engine, order: 8, dim: true }]

const statePart = (session: HeaderProps['session']): Part => {
  if (session === null || session === 'unknown')
    return { key: 'state', text: session === null ? headerText.noSession : '–', order: 4, colour: undefined }
  const { word, colour } = sessionLooks[session.status]
  return { key: 'state', text: `${word}${session.summary ? `: ${session.summary}` : ''}`, order: 4, colour }
}

const supervisorParts = (elsewhere: HeaderProps['supervisedElsewhere']): Part[] =>
  elsewhere
    ? [
        {
          key: 'supervisor',
          text: supervisorText(elsewhere),
          order: 10,
          dim: true,
        },
      ]
    : []

const supervisorText = ({ pid, hosts = 0 }: NonNullable<HeaderProps['supervisedElsewhere']>): string => {
  if (pid !== null) return headerText.supervisedBy(pid)
  return hosts === 0 ? headerText.notSupervised : headerText.supervisedByHosts(hosts)
}

const sandboxParts = (unconfined: NonNullable<HeaderProps['unconfined']> | null): Part[] =>
  unconfined === null
    ? []
    : [
        {
          key: 'sandbox',
          ...because(
            unconfined.chosen ? '' : '⚠ ',
            unconfined.refused === true ? headerText.refused : headerText.noSandbox,
            unconfined.why,
          ),
          ...(unconfined.chosen ? { dim: true } : { colour: 'yellow' }),
          // A warning stays until only the agents and the requests have room.
          order: unconfined.chosen ? 5 : 2,
        },
      ]

/** A reason may end with what to do about it, which is left out first. */
const because = (sign: string, what: string, why: string): Pick<Part, 'text' | 'shorter' | 'said'> => ({
  text: `${sign}${headerText.because(what, why)}`,
  shorter: [`${sign}${headerText.because(what, why.split('; ')[0]!)}`, `${sign}${what}`],
  said: headerText.because(what, why),
})

const taskParts = (tasks: HeaderProps['tasks']): Part[] =>
  tasks === null
    ? []
    : [
        {
          key: 'tasks',
          text: headerText.tasks(`${bar(tasks.done, tasks.all)} `, tasks.done, tasks.all),
          least: headerText.tasks('', tasks.done, tasks.all),
          said: headerText.tasksHeard(tasks.done, tasks.all),
          order: 4,
        },
      ]

/** The last two hours; dropped first. */
const paceParts = (pace: HeaderProps['pace']): Part[] => {
  if (pace === null) return []
  const all = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
  const part = (key: 'done' | 'failed', values: readonly number[], colour: 'green' | 'red'): Part => ({
    key,
    // A line where nothing happened, because a gap would look like the end of the label.
    text: `${headerText.pace[key]} ${barRows(values, Math.max(...values), 1, pace.plain)[0]!.replaceAll(' ', pace.plain ? '_' : '▁')}`,
    said: headerText.paceHeard(all(values), headerText.pace[key]),
    order: 12,
    ...(all(values) > 0 ? { colour } : { dim: true }),
  })
  return [part('done', pace.completed, 'green'), part('failed', pace.failed, 'red')]
}

const bar = (done: number, all: number): string => {
  const full = all === 0 ? 0 : Math.floor((done / all) * 10)
  return '█'.repeat(full) + '░'.repeat(10 - full)
}
