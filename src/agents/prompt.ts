import { reportByFiles, resultFileToo } from './files-prompt.ts'
import type { Brief } from './kind.ts'

/** The words with which an agent that reports over the command line is set to work. */
export const promptFor = (brief: Brief): string => {
  const { agentId, persona, folder, worktree, task, files } = brief
  return sections([
    persona.definition.trim(),
    `# Your task: ${task.id}. ${task.title}\n${task.description}`.trim(),
    criteriaOf(task.acceptanceCriteria),
    task.contextRef === null ? '' : `## Context\n${task.contextRef}`,
    task.lastError === null ? '' : earlier(task.attempt, task.retryCount, task.lastError),
    remembered(brief),
    `## Where
You are agent ${agentId}. Work only inside ${folder}${worktree === null ? ' and change nothing in it unless the task says so' : `, the git worktree ${worktree}`}. Commit what you make there.`,
    files !== null && brief.reportsByFiles ? reportByFiles(brief, files) : byCommands(brief),
    files !== null && !brief.reportsByFiles ? resultFileToo(brief, files) : '',
  ])
}

/** By its absolute path: a login shell sets PATH anew and does not find a bare name. */
const byCommands = ({ agentId, task, program }: Brief): string => {
  const met = task.acceptanceCriteria.length === 0 ? '' : ' --met "a criterion that is met, word for word; --met again for each"'
  return `## Report
Use these commands, from your folder:
- ${shellWord(program)} task progress ${task.id} --agent ${agentId} --note "what you did" --percent 50
- ${shellWord(program)} task complete ${task.id} --agent ${agentId} --result '{"summary": "…"}'${met}
- ${shellWord(program)} task fail ${task.id} --agent ${agentId} --error "why it cannot be done"
Ending without one of the last two counts as a failure.`
}

const shellWord = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)

export const criteriaOf = (criteria: readonly string[]): string => (criteria.length === 0 ? '' : `## Acceptance criteria\n${criteria.map((text) => `- ${text}`).join('\n')}`)

/** The short-term brief of seed 001: decisions in force, open blockers, key facts, the last actions. */
export const remembered = ({ memory }: Pick<Brief, 'memory'>): string => (memory === '' ? '' : `# What is remembered\n${memory}`)

export const earlier = (attempt: number, retryCount: number, error: string): string =>
  `## Earlier attempts
This is attempt ${attempt}. The last one ended with:
${error}
${retryCount >= 2 ? 'Two attempts have failed: try another approach.' : 'Find the cause before you change anything.'}`

/** The parts that say something, with an empty line between them. */
export const sections = (parts: readonly string[]): string => `${parts.filter(Boolean).join('\n\n')}\n`
