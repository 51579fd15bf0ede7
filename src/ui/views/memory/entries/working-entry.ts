import { ours, safeText, type SafeText } from '../../../../domain/words/safe-text.ts'
import type { TaskContext, WorkingMemoryView } from '../../../../contracts/memories.ts'
import { fit } from '../../../../../components/base/fit.ts'
import type { Line } from '../../../../../components/Lines.tsx'
import type { Look } from '../../../../../components/base/look.ts'
import { fact } from '../../../rows/lines.ts'
import type { Entry } from './entry.ts'
import { longText } from '../text-lines.ts'
import { beginning, longTime, shortTime } from '../words.ts'
import { recordFacts, workingText } from '../../../../text/memory.ts'

type Kind = 'blocker' | 'resolved' | 'step' | 'observation' | 'decision' | 'fact' | 'critical' | 'done'

const kindLooks: Record<Kind, Look> = {
  blocker: { mark: '⚑', word: workingText.kinds.blocker, colour: 'magenta' },
  resolved: { mark: '✓', word: workingText.kinds.resolved, dim: true },
  step: { mark: '○', word: workingText.kinds.step },
  observation: { mark: '·', word: workingText.kinds.observation },
  decision: { mark: '◆', word: workingText.kinds.decision, colour: 'cyan' },
  fact: { mark: '◇', word: workingText.kinds.fact },
  critical: { mark: '!', word: workingText.kinds.critical, colour: 'yellow' },
  done: { mark: '✓', word: workingText.kinds.done, dim: true },
}

interface More {
  readonly context?: TaskContext
  readonly more?: (width: number) => readonly Line[]
  /** Searched text in addition to the shown one. */
  readonly also?: string
  readonly mark?: string
  readonly label?: string
}

/** Entries of one agent. Entries of the same time differ by their turn. */
export const entryMaker = (view: WorkingMemoryView) => {
  const turns = new Map<string, number>()
  return (
    kind: Kind,
    at: string,
    text: string,
    { context, more, also = '', mark = kindLooks[kind].mark, label = kindLooks[kind].word }: More = {},
  ): Entry => {
    const name = `${view.agent} ${kind} ${at}`
    const turn = (turns.get(name) ?? 0) + 1
    turns.set(name, turn)
    const key = `${name} ${turn}`
    const when: SafeText = at === '' ? fit('', 11) : shortTime(at)
    return {
      key,
      line: {
        text: ours(`  ${mark} ${fit(label, 11)}  ${when}  ${beginning(text)}`),
        colour: kindLooks[kind].colour,
        dim: kindLooks[kind].dim === true,
      },
      opens: { of: 'entry', tab: 'working', key },
      title: safeText(`${view.agent}: ${label}`),
      sought: { who: view.agent, at, text: () => `${text}\n${also}` },
      read: (width) => [
        ...fact(recordFacts.agent, view.agent),
        ...fact(recordFacts.written, at === '' ? null : longTime(at)),
        ...(context ? contextFacts(context) : []),
        { text: ours('') },
        ...longText(text, width, view.path),
        ...(more?.(width) ?? []),
      ],
    }
  }
}

export const contextFacts = ({ storyId, epicId, taskId }: TaskContext): readonly Line[] => [
  ...fact(recordFacts.story, storyId ?? null),
  ...fact(recordFacts.epic, epicId ?? null),
  ...fact(recordFacts.task, taskId ?? null),
]
