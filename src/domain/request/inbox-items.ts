import { budgetWords, type Limits, type Usage } from '../budget/budget.ts'
import {
  changeWords,
  type CheckoutChange,
  commitsWords,
  HEAD_ENTRY,
  shortOid,
  type TargetMove,
} from '../integration/external-changes.ts'
import { isOfOwn } from '../integration/trusted-configuration.ts'
import { countOf, someOf } from '../words/counts.ts'
import { shellWord } from '../words/shell-words.ts'
import { type EndedWorktree, whyNotTriedAgain } from '../worktree/worktree.ts'
import type { AttentionKind, Waiting } from './inbox.ts'

// The text of the items of the inbox: what is asked, what speaks for it, and the command that answers it.

/** A sentence that says what is asked, what speaks for it, and by which rule others are like it; null where each is decided by itself. */
export interface Said {
  readonly text: string
  readonly evidence: string
  readonly like: string | null
}

export const requestSaid = ({ kind, agentId, personaId, taskId, tool, subject, rule, ended }: AskedBy): Said => {
  const text = {
    permission: `${agentId} asks to use ${tool}: ${subject}`,
    question: `${agentId} asks: ${subject}`,
    denial: `${agentId} was denied ${tool}: ${subject}`,
  }[kind]
  const whose = [taskId === null ? null : `for task ${taskId}`, personaId].filter((part) => part !== null).join(', ')
  const consequence = {
    permission: 'it is blocked until you answer',
    question: 'it waits for an answer in words',
    denial: `its CLI already denied it, and the agent has ${ended ? 'ended' : 'continued'}`,
  }[kind]
  return {
    text,
    evidence: sentence(whose, consequence, kind === 'question' || rule === null ? null : `always allows ${rule}`),
    like: kind === 'question' ? `questions of ${personaId ?? agentId}` : `${rule ?? tool ?? ''}`,
  }
}

interface AskedBy {
  readonly kind: 'permission' | 'question' | 'denial'
  readonly agentId: string
  readonly personaId: string | null
  readonly taskId: number | null
  readonly tool: string | null
  readonly subject: string
  readonly rule: string | null
  /** True if none of its processes runs. */
  readonly ended: boolean
}

const sentence = (...parts: readonly (string | null | undefined)[]): string => parts.filter((part) => part).join('; ')

/** `ended` is its worktree if that accepts no more work. */
export const taskSaid = (kind: 'failed' | 'stalled' | 'command', task: WaitingTask, ended?: EndedWorktree): Said => {
  const { id, title, personaId } = task
  if (kind === 'failed') {
    const tries =
      task.attempt === 0 ? 'never started' : task.attempt === 1 ? 'after one attempt' : `after ${task.attempt} attempts`
    const text = `task ${id} failed: ${task.errorMessage ?? 'no reason given'}`
    // The keys for retrying failed tasks together do not apply to it.
    if (ended)
      return {
        text,
        evidence: sentence(title, tries, whyNotTriedAgain(ended), 'cancel it, and create another task for the rest'),
        like: null,
      }
    return { text, evidence: sentence(title, tries, 'no retries left'), like: `failed tasks of ${personaId}` }
  }
  if (kind === 'stalled')
    return {
      text: `task ${id} shows no progress`,
      evidence: sentence(
        title,
        task.assignedAgentId === null ? null : `claimed by ${task.assignedAgentId}, attempt ${task.attempt}`,
      ),
      like: null,
    }
  return {
    text: `task ${id} needs your approval to run its command`,
    evidence: `created by ${task.createdBy ?? 'a client'}: ${task.command ?? ''}`,
    like: null,
  }
}

interface WaitingTask {
  readonly id: number
  readonly title: string
  readonly personaId: string
  readonly errorMessage: string | null
  readonly attempt: number
  readonly retryCount: number
  readonly assignedAgentId: string | null
  readonly command: string | null
  readonly createdBy: string | null
}

/** A pending task for which no kind of agent is found. */
export const unstartableSaid = ({ id, title }: Pick<WaitingTask, 'id' | 'title'>, why: string): Said => ({
  text: `task ${id} cannot start: ${why}`,
  evidence: title,
  like: null,
})

export const taskBudgetSaid = (
  task: { readonly id: number; readonly title: string; readonly agentId: string | null },
  limits: Limits,
  used: Usage,
): Said => ({
  text: `task ${task.id} has used up its budget: ${budgetWords(limits, used)}`,
  evidence: `${task.title}; ${task.agentId === null ? 'it is not restarted' : `${task.agentId} is paused`} until you answer`,
  like: null,
})

export const sessionBudgetSaid = (limits: Limits, used: Usage): Said => ({
  text: `the session has used up its budget: ${budgetWords(limits, used)}`,
  evidence: 'no further task starts until you answer; running agents continue',
  like: null,
})

export const integrationSaid = (
  kind: 'approve' | 'conflict' | 'unverified',
  { worktree, target, problem, conflicts, branchOid, targetOid, verification }: Entering,
): Said => {
  const commits = branchOid && targetOid ? `${branchOid.slice(0, 8)} into ${target} at ${targetOid.slice(0, 8)}` : null
  if (kind === 'conflict')
    return {
      text: problem ?? `${worktree} conflicted with ${target} in ${someOf(conflicts, 3)}`,
      evidence: sentence(commits, listOf('file', conflicts)),
      like: null,
    }
  if (kind === 'unverified')
    return {
      text: `the verification of ${worktree} failed`,
      evidence: sentence(verified(verification), lastLine(verification?.tail)),
      like: null,
    }
  return {
    text: problem ?? `${worktree} is ready to merge into ${target}`,
    evidence: sentence(commits, verified(verification)),
    like: null,
  }
}

interface Entering {
  readonly worktree: string
  readonly target: string
  readonly problem: string | null
  readonly conflicts: readonly string[]
  readonly branchOid: string | null
  readonly targetOid: string | null
  readonly verification: { readonly command: string; readonly exitCode: number | null; readonly tail: string } | null
}

const listOf = (noun: string, names: readonly string[]): string | null =>
  names.length === 0 ? null : `${countOf(names.length, noun)}: ${someOf(names, 5)}`

const verified = (verification: Entering['verification']): string => {
  if (verification === null) return 'not verified: no command is configured'
  const { command, exitCode } = verification
  return exitCode === 0
    ? `${command} passed`
    : `${command}: ${exitCode === null ? 'killed by a signal' : `exit code ${exitCode}`}`
}

const lastLine = (text: string | undefined): string | undefined =>
  text
    ?.split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '')

/** `changes` are the lines that differ from what a person trusts. */
export const configurationSaid = (changes: readonly string[]): Said =>
  changes.some(isOfOwn)
    ? {
        text: "aiswarm's own configuration changed while agents ran, or within a minute after; until you accept it, the previous one applies and nothing is integrated",
        evidence: sentence(
          ...changes
            .filter(isOfOwn)
            .slice(0, 3)
            .map((line) => line.slice(0, 200)),
          changes.length > 3 ? `${changes.length} changed lines in total` : null,
        ),
        like: null,
      }
    : {
        text: 'the configuration of the repository has changed; nothing is integrated until you accept it',
        evidence: 'git would run the programs that it names; the changed lines are shown before you accept them',
        like: null,
      }

/** Of the clone of a host other than the first, where nothing is merged. */
export const cloneSaid = (host: string): Said => ({
  text: `the configuration of git in the clone on host ${host} has changed; accept it, or revert it there`,
  evidence:
    'git would run the programs that it names there; the changed lines are shown before you accept them, and filters of them are not used until then',
  like: null,
})

interface Written {
  readonly author: string
  /** Oldest first. */
  readonly texts: readonly string[]
  /** The task that the author has. */
  readonly taskId: number | null
}

/** Messages of one agent to the person. */
export const mailSaid = ({ author, texts, taskId }: Written): Said => ({
  text: `${author} writes: ${texts[0]!.slice(0, LONGEST_SAID)}`,
  evidence: sentence(
    countOf(texts.length, 'unread message'),
    taskId === null ? null : `its task is ${taskId}`,
    'it waits for no answer',
  ),
  like: null,
})

/** How much of a message its item repeats (characters). */
const LONGEST_SAID = 300

interface ReturnedWorktree {
  readonly worktree: string
  /** The worktree that continues it elsewhere. */
  readonly successor: string | null
  readonly ref: string | null
}

/** A host that was declared lost and is back, with the worktrees that it still has. */
export const returnedSaid = (host: string, worktrees: readonly ReturnedWorktree[]): Said => {
  const continued = worktrees.filter(({ successor }) => successor !== null)
  const kept = worktrees.filter(({ ref }) => ref !== null).length
  return {
    text: `host ${host} is back with ${countOf(worktrees.length, 'worktree')} from before it was lost: compare, keep or discard ${worktrees.length === 1 ? 'it' : 'them'}`,
    evidence: sentence(
      continued.length === 0
        ? null
        : someOf(
            continued.map(({ worktree, successor }) => `${successor} continues ${worktree}`),
            3,
          ),
      kept === worktrees.length ? 'all files are kept under refs/aiswarm/returned' : `files kept of ${kept} of them`,
    ),
    like: null,
  }
}

/**
 * Names the agents that ran, but does not claim that one of them moved the branch: a person may have committed at the
 * same time.
 */
export const movedSaid = ({ target, from, to, commits, agents, problem }: TargetMove): Said => {
  const way =
    to === null
      ? `was deleted at ${shortOid(from)}`
      : from === null
        ? `was created at ${shortOid(to)}`
        : `moved from ${shortOid(from)} to ${shortOid(to)}`
  return {
    text: `${target} ${way} while ${agentList(agents)} ran, and aiswarm did not move it`,
    evidence: sentence(
      problem,
      to === null ? null : commitsWords(commits),
      commits.newest[0] === undefined ? null : `newest: ${commits.newest[0]}`,
    ),
    like: null,
  }
}

export const checkoutSaid = ({ changes, agents }: CheckoutChange): Said => {
  const paths = changes.map(({ path }) => (path === HEAD_ENTRY ? 'the branch' : path))
  const what = paths.length === 1 ? paths[0]! : `${paths.length} files`
  return {
    text: `${what} changed in the main checkout while ${agentList(agents)} ran in ${agents.length === 1 ? 'its worktree' : 'their worktrees'}`,
    evidence: sentence(
      ...changes.slice(0, 3).map(changeWords),
      changes.length > 3 ? `${changes.length - 3} more` : null,
      'you may have made the change yourself',
    ),
    like: null,
  }
}

const agentList = (agents: readonly string[]): string => {
  if (agents.length <= 3)
    return agents.length < 2 ? (agents[0] ?? 'an agent') : `${agents.slice(0, -1).join(', ')} and ${agents.at(-1)!}`
  return `${someOf(agents, 2)} agents`
}

/** The fields of an inbox item that a command line needs. */
type Named = Pick<Waiting, 'kind' | 'taskId' | 'worktree' | 'agentId' | 'requestId' | 'target' | 'host'> & {
  readonly personaId?: string | null
}

/** The command with which a person answers an inbox item. Words for the person to choose are in capitals. */
export const commandFor = (item: Named): string => `aiswarm ${commands[item.kind](item)}`

const commands: Readonly<Record<AttentionKind, (item: Named) => string>> = {
  configuration: ({ host }) => `worktree trust${host === undefined ? '' : ` --host ${shellWord(host)}`}`,
  moved: ({ target = '' }) =>
    `target accept ${shellWord(target)} (or target put-back ${shellWord(target)}; look first: target show ${shellWord(target)})`,
  permission: ({ requestId }) => `request answer ${requestId} --allow (or --deny)`,
  question: ({ requestId }) => `request answer ${requestId} --text ANSWER`,
  denial: ({ requestId }) => `request answer ${requestId} --always (or --deny)`,
  budget: ({ taskId }) =>
    taskId === null ? 'session budget --again (or --stop)' : `task budget ${taskId} --again (or --stop)`,
  command: ({ taskId, personaId }) =>
    `agent spawn --persona ${personaId ?? 'implementer'} --task ${taskId} (or task cancel ${taskId})`,
  unstartable: ({ taskId }) => `doctor (or task cancel ${taskId})`,
  stalled: ({ taskId }) => `task show ${taskId} (or task cancel ${taskId})`,
  approve: ({ worktree }) => `worktree approve ${worktree}`,
  conflict: ({ worktree }) => `worktree reject ${worktree} --reason REASON (look first: worktree show ${worktree})`,
  unverified: ({ worktree }) => `worktree reject ${worktree} --reason REASON (look first: worktree show ${worktree})`,
  failed: ({ taskId }) => `task retry ${taskId} (or task cancel ${taskId})`,
  returned: ({ host = '' }) => `host settle ${shellWord(host)} (look first: host show ${shellWord(host)})`,
  mail: ({ agentId }) => `mail read ${agentId} (look first: mail list)`,
  checkout: () => 'checkout accept (look first: checkout show)',
}
