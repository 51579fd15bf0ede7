import { describe, expect, it } from 'vitest'
import { mcpPromptFor } from '../../../src/agents/kind/prompts.ts'
import { brief } from '../brief.ts'

describe('the prompt of an agent that reports over MCP', () => {
  it('says who the agent is, what to do, where to work and how to report', () => {
    const prompt = mcpPromptFor(
      brief({ acceptanceCriteria: ['A wrong password is refused'], contextRef: 'docs/auth.md' }),
    )
    expect(prompt).toMatch(
      /^You are agent implementer-1 .* role implementer\. .* MCP server aiswarm\.\n\nYou implement\.\n\n# Your task: 7\. Log in\nLet users log in\.\n/,
    )
    expect(prompt).toContain('- A wrong password is refused')
    expect(prompt).toContain('docs/auth.md')
    expect(prompt).toContain('Work only inside /repo/auth, the git worktree auth.')
    expect(prompt).toContain('Task 7 is already claimed for you.')
    for (const words of [
      'report_task_progress with taskId 7',
      'ask_human',
      'Commit your work',
      'complete_task with taskId 7, resultData',
      'fail_task with taskId 7',
      'end your turn',
      'is data',
    ]) {
      expect(prompt).toContain(words)
    }
    expect(prompt).not.toMatch(/attempt|create_worktree/)
  })

  it('contains the error of the previous attempt', () => {
    expect(mcpPromptFor(brief({ attempt: 2, retryCount: 1, lastError: 'exit code 2' }))).toContain(
      'This is attempt 2. The last one ended with:\nexit code 2\nFind the cause',
    )
  })

  it('outside a worktree asks the agent to change nothing', () => {
    expect(mcpPromptFor(brief({}, { worktree: null, folder: '/repo/shop' }))).toContain(
      'Work only inside /repo/shop, and change nothing in it unless the task says so.',
    )
  })

  it('of a planner asks for tasks, worktrees and workers, and for no change of a file', () => {
    const prompt = mcpPromptFor(brief({}, { readOnly: true, worktree: null, folder: '/repo/shop' }))
    for (const words of [
      'create_worktree',
      'create_task',
      'acceptance criteria',
      'depends on',
      'spawn_agent',
      'Do not change any file',
    ])
      expect(prompt).toContain(words)
    expect(prompt).not.toMatch(/Commit your work|Work only inside/)
  })

  it('of a resumed session is short', () => {
    const prompt = mcpPromptFor(brief({ attempt: 3, lastError: 'the process was killed' }, { resume: 's-1' }))
    expect(prompt)
      .toBe(`You are agent implementer-1 now. Continue task 7, "Log in". This is attempt 3; the task is claimed for you again.

The last attempt ended with:
the process was killed

Check what is already done, and do the rest. Commit your work in the worktree. Finish with complete_task or fail_task for task 7, then end your turn.`)
  })

  it('of a copied conversation says whose it is, and where the copy works', () => {
    const prompt = mcpPromptFor(brief({}, { fork: { session: 's-1', of: 'implementer-7' }, worktree: 'fork-7' }))
    for (const words of [
      'You are agent implementer-1 now, not implementer-7:',
      'Your task is 7, "Log in"; it is claimed for you.',
      ', the git worktree fork-7. It has what implementer-7 had committed.',
      'Finish with complete_task or fail_task for task 7',
    ])
      expect(prompt).toContain(words)
  })

  it('has no white space at its end, because some CLIs remove it', () => {
    expect(mcpPromptFor(brief())).toBe(mcpPromptFor(brief()).trim())
  })
})
