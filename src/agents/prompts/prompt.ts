import { reportByFiles, resultFileToo } from './files-prompt.ts'
import type { Brief } from '../kind/kind.ts'

/** The prompt for an agent that reports over the command line. */
export const promptFor = (brief: Brief): string => {
  const { agentId, folder, worktree, files } = brief
  return sections([
    ...sectionsOfTask(brief),
    `## Where
You are agent ${agentId}. Work only inside ${folder}${worktree === null ? ' and change nothing in it unless the task says so' : `, the git worktree ${worktree}`}. Commit your work there.${often(brief)}`,
    files !== null && brief.reportsByFiles ? reportByFiles(brief, files) : byCommands(brief),
    files !== null && !brief.reportsByFiles ? resultFileToo(brief, files) : '',
  ])
}

/** On a board with several hosts commits are pushed once a minute, and other files never. */
export const often = ({ commitsOften = false }: Pick<Brief, 'commitsOften'>): string =>
  commitsOften
    ? ' Commit often, after each step that can stand alone: commits are pushed within a minute, and what is not committed is lost if this machine fails.'
    : ''

/** An absolute path, because a login shell resets PATH and does not find the bare name. */
const byCommands = ({ agentId, task, program }: Brief): string => {
  const met =
    task.acceptanceCriteria.length === 0 ? '' : ' --met "a criterion that is met, word for word; --met again for each"'
  return `## Report
Use these commands, from your folder:
- ${shellWord(program)} task progress ${task.id} --agent ${agentId} --note "what you did" --percent 50
- ${shellWord(program)} task complete ${task.id} --agent ${agentId} --result '{"summary": "…"}'${met}
- ${shellWord(program)} task fail ${task.id} --agent ${agentId} --error "why it cannot be done"
Ending without one of the last two counts as a failure.`
}

const shellWord = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

/** The sections of the prompt about the agent and its task, the same for every way of reporting. */
export const sectionsOfTask = ({ persona, task, memory, messages }: Brief): readonly string[] => [
  persona.definition.trim(),
  `# Your task: ${task.id}. ${task.title}\n${task.description}`.trim(),
  criteriaOf(task.acceptanceCriteria),
  task.contextRef === null ? '' : `## Context\n${task.contextRef}`,
  task.lastError === null ? '' : earlier(task.attempt, task.retryCount, task.lastError),
  remembered({ memory }),
  told({ messages }),
]

const criteriaOf = (criteria: readonly string[]): string =>
  criteria.length === 0 ? '' : `## Acceptance criteria\n${criteria.map((text) => `- ${text}`).join('\n')}`

/** The short-term brief of seed 001: decisions in force, open blockers, key facts, the last actions. */
export const remembered = ({ memory }: Pick<Brief, 'memory'>): string => (memory === '' ? '' : `# Memory\n${memory}`)

/** The messages that were said for this attempt. */
export const told = ({ messages = [] }: Pick<Brief, 'messages'>): string =>
  messages.length === 0 ? '' : `# Messages\n${messages.join('\n\n')}`

const earlier = (attempt: number, retryCount: number, error: string): string =>
  `## Earlier attempts
This is attempt ${attempt}. The last one ended with:
${error}
${retryCount >= 2 ? 'Two attempts have failed: try another approach.' : 'Find the cause before you change anything.'}`

/** Joins the parts that are not empty with an empty line. */
export const sections = (parts: readonly string[]): string => `${parts.filter(Boolean).join('\n\n')}\n`
