import type { SafeText } from '../src/domain/safe-text.ts'
import type { SessionState } from '../src/domain/session.ts'
import { widthOf } from './fit.ts'
import { sessionLooks } from './look.ts'
import { Paint, type PaintProps } from './Paint.tsx'

export interface HeaderProps {
  readonly repository: SafeText
  readonly branch: SafeText
  /** `summary` says what became of one that is over. */
  readonly session: { readonly id: SafeText; readonly status: SessionState; readonly summary: SafeText | null } | null
  readonly paused: boolean
  /** The process that runs the loops when this one does not; null where nobody does. */
  readonly supervisedElsewhere: { readonly pid: number | null } | null
  readonly agents: { readonly running: number; readonly most: number }
  readonly tasks: { readonly done: number; readonly all: number }
  readonly waiting: number
  readonly width: number
}

interface Part extends PaintProps {
  readonly key: string
  readonly text: string
  /** The larger, the sooner it gives way. */
  readonly order: number
}

/** One line. What does not fit gives way in the order of its unimportance. */
export const Header = (props: HeaderProps) => {
  const parts = fitting(partsOf(props), props.width - 1)
  const used = parts.reduce((sum, part) => sum + widthOf(part.text) + 2, 0)
  const gap = Math.max(0, props.width - 1 - used)
  return (
    <Paint label={parts.map((part) => part.text).join(', ')}>
      {' '}
      {parts.map(({ key, text, order: _, ...paint }) => (
        <Paint key={key} {...paint}>{`${text}  ${key === 'branch' || key === 'state' ? ' '.repeat(Math.floor(gap / 2)) : ''}`}</Paint>
      ))}
    </Paint>
  )
}

const partsOf = ({ repository, branch, session, paused, supervisedElsewhere, agents, tasks, waiting }: HeaderProps): Part[] => {
  const state = session ? sessionLooks[session.status] : undefined
  return [
    { key: 'name', text: 'aiswarm', order: 6, bold: true },
    { key: 'repository', text: repository, order: 3, bold: true },
    { key: 'branch', text: branch, order: 5, colour: 'cyan' },
    ...(session ? [{ key: 'session', text: session.id, order: 8, dim: true }] : []),
    ...(paused
      ? [{ key: 'state', text: '‖ paused', order: 1, colour: 'yellow' }]
      : [{ key: 'state', text: state ? `${state.word}${session?.summary ? `: ${session.summary}` : ''}` : 'no session', order: 4, colour: state?.colour }]),
    ...(supervisedElsewhere
      ? [{ key: 'supervisor', text: supervisedElsewhere.pid === null ? 'not supervised' : `supervised by pid ${supervisedElsewhere.pid}`, order: 7, dim: true }]
      : []),
    { key: 'agents', text: `agents ${agents.running}/${agents.most}`, order: 2 },
    { key: 'tasks', text: `tasks ${bar(tasks.done, tasks.all)} ${tasks.done}/${tasks.all}`, order: 4 },
    ...(waiting > 0 ? [{ key: 'waiting', text: `⚑ ${waiting} ${waiting === 1 ? 'waits' : 'wait'} for you`, order: 0, colour: 'magenta', bold: true }] : []),
  ]
}

const fitting = (parts: Part[], width: number): Part[] => {
  const used = parts.reduce((sum, part) => sum + widthOf(part.text) + 2, 0) - 2
  if (used <= width || parts.length <= 1) return parts
  const last = Math.max(...parts.map((part) => part.order))
  return fitting(
    parts.filter((part) => part.order !== last),
    width,
  )
}

const bar = (done: number, all: number): string => {
  const full = all === 0 ? 0 : Math.floor((done / all) * 10)
  return '█'.repeat(full) + '░'.repeat(10 - full)
}
