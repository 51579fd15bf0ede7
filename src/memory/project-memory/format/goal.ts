import { headingOf, readDocument } from '../../session-files/markdown.ts'

/** The parts of a hand-off for the next agent. */
export const goalParts = ['Current state', 'Open question', 'Context', 'Constraints', 'Success criteria'] as const
export type GoalPart = (typeof goalParts)[number]

/** `goal.md`: the source below each of its headings. The file itself is stored as its author wrote it. */
export interface Goal {
  readonly parts: Readonly<Partial<Record<GoalPart, string>>>
}

/** Sections of two levels; repeated headings are merged. */
export const parseGoal = (text: string): Goal => {
  const lines = text.split('\n')
  const headings = readDocument(text).blocks.filter((block) => block.kind === 'heading' && headingOf(block).depth <= 2)
  const parts: Partial<Record<GoalPart, string>> = {}
  for (const [at, heading] of headings.entries()) {
    const body = lines.slice(heading.line, (headings[at + 1]?.line ?? lines.length + 1) - 1).join('\n')
    const part = goalParts.find((one) => plural(one) === plural(headingOf(heading).text.replace(/[*_:]/g, '')))
    if (part !== undefined) parts[part] = [parts[part] ?? '', trimmed(body)].filter((text) => text !== '').join('\n\n')
  }
  return { parts }
}

/** The parts that are missing or empty. */
export const missingParts = ({ parts }: Goal): readonly GoalPart[] =>
  goalParts.filter((part) => (parts[part] ?? '') === '')

/** Treats singular and plural headings as equal. */
const plural = (title: string): string => title.trim().toLowerCase().replace(/s$/, '')

const trimmed = (text: string): string => text.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
