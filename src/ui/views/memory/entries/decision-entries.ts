import { ours, safeText } from '../../../../domain/words/safe-text.ts'
import type { DecisionStatus, DecisionsView, DecisionView } from '../../../../contracts/memories.ts'
import { fit } from '../../../../../components/base/fit.ts'
import type { Line } from '../../../../../components/Lines.tsx'
import type { Look } from '../../../../../components/base/look.ts'
import { fact } from '../../../rows/lines.ts'
import { type Entries, entriesOf, type Entry } from './entry.ts'
import { problemEntry } from './problem-entry.ts'
import { longText, section } from '../text-lines.ts'
import { beginning } from '../words.ts'
import { decisionText, recordFacts } from '../../../../text/memory.ts'

/** The graph of decisions as a tree: each with related ones below it, which Enter opens too. */
export const decisionEntries = ({ decisions, problems }: DecisionsView): Entries => {
  const byId = new Map(decisions.map((decision) => [decision.id, decision]))
  return entriesOf([
    ...problems.map((problem) => problemEntry('decisions', problem)),
    ...decisions.flatMap((decision) => [nodeOf(decision), ...branchesOf(decision, byId)]),
  ])
}

const decisionLooks: Record<DecisionStatus | 'missing', Look> = {
  Draft: { mark: '◌', word: decisionText.states.Draft, colour: 'yellow' },
  Accepted: { mark: '✓', word: decisionText.states.Accepted, colour: 'green' },
  Superseded: { mark: '–', word: decisionText.states.Superseded, dim: true },
  missing: { mark: '?', word: decisionText.states.missing, colour: 'red' },
}

const nodeOf = (decision: DecisionView): Entry => {
  const { mark, word, colour, dim } = decisionLooks[decision.status]
  const { id, title, path, text } = decision
  return {
    key: id,
    line: {
      text: ours(
        `${mark} ${safeText(id)}  ${fit(word, 10)}  ${title === null ? (path === null ? decisionText.noFile : decisionText.unreadable) : beginning(title)}`,
      ),
      colour,
      dim: dim === true,
      bold: dim !== true,
    },
    opens: { of: 'entry', tab: 'decisions', key: id },
    title: safeText(title === null ? id : `${id}: ${title}`),
    sought: { who: id, at: '', text: () => text ?? title ?? id },
    read: (width) => [
      ...fact(recordFacts.status, `${mark} ${word}`),
      ...fact(recordFacts.file, path ?? decisionText.inGraphAlone),
      ...section(decisionText.relations, relationLines(decision)),
      ...section(decisionText.decision, text === null ? [] : longText(text, width, path ?? '')),
    ],
  }
}

const relationLines = ({ edges }: DecisionView): readonly Line[] =>
  edges.map(({ key, targets }) => ({
    text: safeText(`${key}: ${targets.map(({ id, note }) => (note === null ? id : `${id} (${note})`)).join(', ')}`),
  }))

const branchesOf = ({ id, edges }: DecisionView, byId: ReadonlyMap<string, DecisionView>): readonly Entry[] => {
  const branches = edges.flatMap(({ key, targets }) => targets.map((target) => ({ key, ...target })))
  return branches.map((branch, index) => {
    const target = byId.get(branch.id)
    const { mark, word, colour, dim } = decisionLooks[target?.status ?? 'missing']
    const own = `${id} ${branch.key} ${branch.id} ${index}`
    const says = [target?.title ?? '', branch.note === null ? '' : `(${branch.note})`]
      .filter((part) => part !== '')
      .join(' ')
    return {
      key: own,
      line: {
        text: ours(
          `  ${index === branches.length - 1 ? '└' : '├'}─ ${fit(safeText(branch.key.replace('_', ' ')), 13)} ${mark} ${safeText(branch.id)}  ${fit(word, 10)}  ${beginning(says)}`,
        ),
        colour: target ? undefined : colour,
        dim: target ? dim === true || target.status === 'Accepted' : false,
      },
      opens: target ? { of: 'entry', tab: 'decisions', key: branch.id } : null,
      title: safeText(branch.id),
      sought: null,
      read: () => [],
    }
  })
}
