import { describe, expect, it } from 'vitest'
import { command } from '../../src/agents/command.ts'
import { custom } from '../../src/agents/custom.ts'
import { agentKinds } from '../../src/agents/kinds.ts'
import { promptFor } from '../../src/agents/kind/prompts.ts'
import type { CustomKind } from '../../src/domain/settings/agent-settings.ts'
import { parseSettings } from '../../src/effects/configuration/config.ts'
import { settingsWith } from '../support/core.ts'
import { brief } from './brief.ts'

const kind = (of: Partial<CustomKind>) =>
  custom('mine', { command: ['my-agent'], prompt: 'argv', files: false, env: {}, ...of })

describe('the kind command', () => {
  it('runs the command of the task, whatever it contains, and lets its exit code decide', () => {
    const text = `echo "$(date)" 'it''s' \\\n&& true`
    expect(command.launch(brief({ command: text }))).toEqual({
      argv: ['/bin/sh', '-c', text],
      stdin: null,
      files: [],
      environment: {},
    })
    expect(command.exitDecides).toBe(true)
  })
})

describe('a custom kind', () => {
  it('gets the prompt as its last argument if its command has no placeholder for it', () => {
    const launch = kind({ command: ['my-agent', '--quiet'] }).launch(brief())
    expect(launch).toEqual({
      argv: ['my-agent', '--quiet', promptFor(brief())],
      stdin: null,
      files: [],
      environment: {},
    })
  })

  it('fills in every placeholder, and keeps each part one argument', () => {
    const { argv } = kind({
      command: ['my-agent', '--task={taskId}', '-C', '{worktree}', '--as', '{agentId}', '{prompt}', '{other}'],
    }).launch(brief({ title: 'a "b" $(c)\nd' }))
    expect(argv).toEqual([
      'my-agent',
      '--task=7',
      '-C',
      '/repo/auth',
      '--as',
      'implementer-1',
      promptFor(brief({ title: 'a "b" $(c)\nd' })),
      '{other}',
    ])
  })

  it('does not fill in placeholders inside a prompt', () => {
    const { argv } = kind({ command: ['my-agent', '{prompt}'] }).launch(
      brief({ description: 'Print {taskId}, {prompt} and $& literally.' }),
    )
    expect(argv[1]).toContain('Print {taskId}, {prompt} and $& literally.')
  })

  it('reads the prompt on standard input', () => {
    expect(kind({ prompt: 'stdin', command: ['my-agent', '-'] }).launch(brief())).toMatchObject({
      argv: ['my-agent', '-'],
      stdin: promptFor(brief()),
      files: [],
    })
  })

  it('reads the prompt from a file', () => {
    const files = [{ path: '/repo/shop/.aiswarm/run/implementer-1.2.prompt', content: promptFor(brief()) }]
    expect(kind({ prompt: 'file', command: ['my-agent', '--file', '{promptFile}'] }).launch(brief())).toMatchObject({
      argv: ['my-agent', '--file', files[0]!.path],
      stdin: null,
      files,
    })
  })

  it('gets the configured environment, and must report its own result', () => {
    expect(kind({ env: { A: 'b' } }).launch(brief()).environment).toEqual({ A: 'b' })
    expect(kind({}).exitDecides).toBe(false)
  })
})

describe('the list of kinds', () => {
  const mine = { command: ['x'], prompt: 'argv', files: false, env: {} } as const

  it('contains the built-in kinds and the configured ones', () => {
    const kinds = agentKinds(settingsWith({ agents: { kinds: { mine } } }))
    expect([...kinds.keys()]).toEqual(['command', 'claude', 'codex', 'gemini', 'qwen', 'opencode', 'copilot', 'mine'])
    expect(kinds.get('mine')!.name).toBe('mine')
  })

  it('prefers a configured kind to a built-in one of the same name', () => {
    const kinds = agentKinds(settingsWith({ agents: { kinds: { claude: mine } } }))
    expect(kinds.get('claude')!.launch(brief()).argv[0]).toBe('x')
  })
})

describe('a prompt', () => {
  it('says who the agent is, what to do, where to work and how to report', () => {
    const prompt = promptFor(
      brief({ acceptanceCriteria: ['A wrong password is refused', 'Tests pass'], contextRef: 'docs/auth.md' }),
    )
    expect(prompt).toMatch(/^You implement\.\n\n# Your task: 7\. Log in\nLet users log in\.\n/)
    expect(prompt).toContain('- A wrong password is refused\n- Tests pass\n')
    expect(prompt).toContain('docs/auth.md')
    expect(prompt).toContain('Work only inside /repo/auth, the git worktree auth.')
    // A login shell resets PATH and does not find a bare name.
    for (const verb of ['progress', 'complete', 'fail'])
      expect(prompt).toContain(`- /repo/shop/.aiswarm/bin/aiswarm task ${verb} 7 --agent implementer-1`)
  })

  it('quotes the path of the command if a shell would split it', () => {
    expect(promptFor(brief({}, { program: "/my work/it's/aiswarm" }))).toContain(
      "- '/my work/it'\\''s/aiswarm' task complete 7",
    )
  })

  it('of a first attempt does not mention earlier attempts', () => {
    expect(promptFor(brief())).not.toMatch(/attempt/i)
  })

  it('of the first retry contains the error and asks for its cause', () => {
    const prompt = promptFor(brief({ attempt: 2, retryCount: 1, lastError: 'exit code 2: no such module' }))
    expect(prompt).toContain('exit code 2: no such module')
    expect(prompt).toContain('Find the cause')
    expect(prompt).not.toContain('another approach')
  })

  it('of the second retry asks for another approach', () => {
    const prompt = promptFor(brief({ attempt: 3, retryCount: 2, lastError: 'exit code 2: no such module' }))
    expect(prompt).toContain('exit code 2: no such module')
    expect(prompt).toContain('try another approach')
  })

  it('outside any worktree asks the agent to change nothing', () => {
    expect(promptFor(brief({}, { worktree: null, folder: '/repo/shop' }))).toContain(
      'Work only inside /repo/shop and change nothing in it unless the task says so.',
    )
  })
})

describe('the protocol of a kind', () => {
  const kinds = (of: Readonly<Record<string, Partial<CustomKind>>>) =>
    agentKinds(
      settingsWith({
        agents: {
          kinds: Object.fromEntries(
            Object.entries(of).map(([name, one]) => [
              name,
              { command: [], prompt: 'argv' as const, files: false, env: {}, ...one },
            ]),
          ),
        },
      }),
    )

  it('is a conversation for Claude Code, unless the configuration says headless', () => {
    expect(kinds({}).get('claude')!.talk?.protocol).toBe('stream-json')
    const headless = kinds({ claude: { protocol: 'headless' } }).get('claude')!
    expect(headless.talk).toBeUndefined()
    expect(headless.launch(brief()).argv).toContain('mcp__aiswarm__request_permission')
  })

  it('gives a custom kind a conversation whose first message is the prompt', () => {
    const mine = kinds({ mine: { command: ['my-agent'], protocol: 'stream-json' } }).get('mine')!
    expect(mine.talk?.protocol).toBe('stream-json')
    expect(mine.launch(brief())).toMatchObject({ argv: ['my-agent'], stdin: promptFor(brief()) })
  })

  it('that a known CLI does not speak is refused in the configuration', () => {
    expect(() => parseSettings('agents: {kinds: {codex: {protocol: stream-json}}}', 'config.yaml')).toThrow(
      'codex does not speak stream-json',
    )
  })
})
