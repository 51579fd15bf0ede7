import { describe, expect, it } from 'vitest'
import { claude, claudeHeadless } from '../../../src/agents/claude.ts'
import { codex as codexInTalk, codexHeadless as codex } from '../../../src/agents/codex.ts'
import { copilotHeadless as copilot } from '../../../src/agents/copilot.ts'
import { geminiHeadless as gemini } from '../../../src/agents/gemini.ts'
import type { Launch } from '../../../src/agents/kind/kind.ts'
import { knownClis } from '../../../src/agents/kinds.ts'
import { mcpPromptFor } from '../../../src/agents/kind/prompts.ts'
import { opencodeHeadless as opencode } from '../../../src/agents/opencode.ts'
import { qwenHeadless as qwen } from '../../../src/agents/qwen.ts'
import { brief } from '../brief.ts'

const run = '/repo/shop/.aiswarm/run/implementer-1.2'
const server = {
  command: '/usr/bin/node',
  args: ['/opt/aiswarm/main.js', 'mcp'],
  env: { AISWARM_AGENT_ID: 'implementer-1', AISWARM_AGENT_TOKEN: 'secret-token' },
}
const with_ = (rest: Parameters<typeof brief>[1]) => brief({}, rest)
const everything = with_({ approvals: 'allow-all', asRoot: true })
const rules = ['shell(npm test)', 'shell(npm run build)', 'tool(WebFetch)', 'edit']
/** The content of the launch file whose name ends like this. */
const file = (launch: { files: readonly { path: string; content: string }[] }, end: string) =>
  launch.files.find(({ path }) => path.endsWith(end))!.content
const json = (text: string): unknown => JSON.parse(text)
/** The values of a flag that occurs once or several times. */
const values = (argv: readonly string[], flag: string) => argv.filter((_, at) => argv[at - 1] === flag)

describe.each(knownClis.map((kind) => [kind.name, kind] as const))('%s', (name, kind) => {
  it('reads the prompt on standard input, byte for byte', () => {
    const odd = brief({ description: '-- --help @x $(x) `x` "x" ä 😀\n\t\\' })
    expect(kind.launch(odd).stdin).toBe(mcpPromptFor(odd))
    expect(kind.launch(odd).argv.join(' ')).not.toContain('--help')
  })

  it('gets a prompt that starts with fixed text, whatever its persona and task start with', () => {
    expect(
      kind.launch(brief({ title: '-x', description: '/quit' }, { persona: { id: 'p', definition: '--yolo' } })).stdin,
    ).toMatch(/^You are agent implementer-1 /)
    expect(kind.launch(brief({ title: '-x' }, { resume: 's-1' })).stdin).toMatch(
      /^You are agent \S+ now\. Continue task 7, "-x"\./,
    )
  })

  it.each([
    ['ask', brief()],
    ['a resumed one', with_({ resume: 's-1', model: 'm', allow: rules })],
    ['everything', everything],
    ['a planner', with_({ readOnly: true, worktree: null, folder: '/repo/shop' })],
  ])('never has the token in its arguments (%s)', (_, of) => {
    expect(kind.launch(of).argv.join(' ')).not.toContain('secret-token')
  })

  it('writes files only next to the scratch path', () => {
    for (const of of [brief(), everything, with_({ readOnly: true })]) {
      for (const { path } of kind.launch(of).files) expect(path.startsWith(`${run}.`)).toBe(true)
    }
  })

  it('gets the configured extra arguments', () => {
    expect(kind.launch(with_({ args: ['--extra', 'one two'] })).argv).toEqual(
      expect.arrayContaining(['--extra', 'one two']),
    )
  })

  it('gets no dangerous permission as a planner, even if its persona has one', () => {
    const argv = kind.launch(with_({ readOnly: true, approvals: 'allow-all', allow: rules })).argv
    expect(argv.join(' ')).not.toMatch(/dangerously|yolo|allow-all|acceptEdits|npm test|workspace-write|auto-edit/)
  })

  it('names its program, resumes sessions and reports its own result', () => {
    expect(kind.program!.binary).toBe(name)
    expect(kind.launch(brief()).argv[0]).toBe(name)
    expect(kind.resumes).toBe(true)
    expect(kind.exitDecides).toBe(false)
  })
})

describe('claude in a conversation', () => {
  it('takes messages on its input, and asks for permission there', () => {
    const headless = claudeHeadless.launch(brief())
    const launch = claude.launch(brief())
    expect(launch.argv).toEqual([
      ...['claude', '-p', '--input-format', 'stream-json', '--replay-user-messages'],
      ...['--output-format', 'stream-json', '--verbose', '--mcp-config', `${run}.mcp.json`, '--strict-mcp-config'],
      ...['--permission-mode', 'default', '--permission-prompt-tool', 'stdio'],
      ...['--disallowedTools', 'AskUserQuestion', '--allowedTools', 'mcp__aiswarm'],
    ])
    expect({ ...launch, argv: [] }).toEqual({ ...headless, argv: [] })
  })

  it('asks no person if everything is allowed, or if it only reads', () => {
    for (const of of [everything, with_({ readOnly: true })])
      expect(claude.launch(of).argv).not.toContain('--permission-prompt-tool')
  })
})

describe('claude without a conversation', () => {
  const start = [
    'claude',
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--mcp-config',
    `${run}.mcp.json`,
    '--strict-mcp-config',
  ]
  const asks = ['--permission-prompt-tool', 'mcp__aiswarm__request_permission', '--allowedTools']

  it('asks the MCP server of aiswarm for permission', () => {
    const launch = claudeHeadless.launch(brief())
    expect(launch.argv).toEqual([...start, '--permission-mode', 'default', ...asks, 'mcp__aiswarm'])
    expect(json(file(launch, '.mcp.json'))).toEqual({ mcpServers: { aiswarm: { ...server, type: 'stdio' } } })
    expect(launch.environment).toEqual({
      MCP_CONNECTION_NONBLOCKING: '0',
      MCP_CONNECT_TIMEOUT_MS: '20000',
      MCP_TOOL_TIMEOUT: '3600000',
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
    })
  })

  it('edits without asking if a persona or a rule allows it', () => {
    expect(claudeHeadless.launch(with_({ approvals: 'allow-edits' })).argv).toEqual([
      ...start,
      '--permission-mode',
      'acceptEdits',
      ...asks,
      'mcp__aiswarm',
    ])
    expect(claudeHeadless.launch(with_({ allow: rules })).argv).toEqual([
      ...start,
      ...['--permission-mode', 'acceptEdits', ...asks, 'mcp__aiswarm,Bash(npm test:*),Bash(npm run build:*),WebFetch'],
    ])
  })

  it('skips permissions, and as root pretends to be in a sandbox', () => {
    expect(claudeHeadless.launch(everything).argv).toEqual([...start, '--dangerously-skip-permissions'])
    expect(claudeHeadless.launch(everything).environment.IS_SANDBOX).toBe('1')
    expect(claudeHeadless.launch(with_({ approvals: 'allow-all' })).environment.IS_SANDBOX).toBeUndefined()
  })

  it('only reads as a planner', () => {
    expect(claudeHeadless.launch(with_({ readOnly: true })).argv).toEqual([
      ...start,
      ...['--permission-mode', 'default', '--disallowedTools', 'Edit,Write,NotebookEdit'],
      ...['--allowedTools', 'mcp__aiswarm,Bash(git status:*),Bash(git diff:*),Bash(git log:*),Bash(git show:*)'],
    ])
  })

  it('resumes a session with a given model', () => {
    expect(claudeHeadless.launch(with_({ resume: 's-1', model: 'opus' })).argv.slice(-4)).toEqual([
      '--model',
      'opus',
      '--resume',
      's-1',
    ])
  })

  it('begins with a copy of another session, and leaves that as it is', () => {
    const { argv, stdin } = claudeHeadless.launch(with_({ fork: { session: 's-1', of: 'implementer-1' } }))
    expect(argv.slice(-3)).toEqual(['--resume', 's-1', '--fork-session'])
    expect(stdin).toContain('this conversation is a copy of the one of implementer-1')
  })
})

describe('codex', () => {
  const server_ = [
    'check_for_update_on_startup=false',
    'analytics.enabled=false',
    'mcp_servers.aiswarm.command="/usr/bin/node"',
    'mcp_servers.aiswarm.args=["/opt/aiswarm/main.js","mcp"]',
    'mcp_servers.aiswarm.env_vars=["AISWARM_AGENT_ID","AISWARM_AGENT_TOKEN"]',
    'mcp_servers.aiswarm.required=true',
    'mcp_servers.aiswarm.startup_timeout_sec=20',
    'mcp_servers.aiswarm.tool_timeout_sec=3600',
    'mcp_servers.aiswarm.default_tools_approval_mode="approve"',
  ].flatMap((setting) => ['-c', setting])
  const start = ['codex', 'exec', '--json', '--skip-git-repo-check']

  it('works in its sandbox and can commit there', () => {
    const launch = codex.launch(brief())
    expect(launch.argv).toEqual([
      ...start,
      ...['-s', 'workspace-write', '--add-dir', '/repo/shop/.git', '--add-dir', '/repo/shop/.git/worktrees/auth'],
      ...server_,
      '-',
    ])
    expect(launch.environment).toEqual({ AISWARM_AGENT_ID: 'implementer-1', AISWARM_AGENT_TOKEN: 'secret-token' })
    expect(launch.files).toEqual([])
  })

  it('guesses the git directory of a worktree from its folder, and needs none outside a worktree', () => {
    const { worktreeGitFolder: _, ...unknown } = brief()
    expect(values(codex.launch(unknown).argv, '--add-dir')).toEqual([
      '/repo/shop/.git',
      '/repo/shop/.git/worktrees/auth',
    ])
    expect(values(codex.launch(with_({ worktree: null })).argv, '--add-dir')).toEqual(['/repo/shop/.git'])
  })

  it('has no sandbox if everything is allowed, and only reads as a planner', () => {
    expect(codex.launch(everything).argv).toEqual([
      ...start,
      '--dangerously-bypass-approvals-and-sandbox',
      ...server_,
      '-',
    ])
    expect(codex.launch(with_({ readOnly: true })).argv).toEqual([...start, '-s', 'read-only', ...server_, '-'])
  })

  it('in a conversation asks as before where its own sandbox cannot begin, but does not begin it', () => {
    const policyOf = (rest: Parameters<typeof with_>[0]): unknown =>
      /"approvalPolicy":"[^"]*","sandbox":"[^"]*"/.exec(codexInTalk.launch(with_(rest)).opening ?? '')?.[0]
    expect(policyOf({})).toBe('"approvalPolicy":"untrusted","sandbox":"workspace-write"')
    expect(policyOf({ ownSandbox: false })).toBe('"approvalPolicy":"untrusted","sandbox":"danger-full-access"')
    expect(policyOf({ ownSandbox: false, readOnly: true })).toBe('"approvalPolicy":"never","sandbox":"read-only"')
  })

  it('resumes a session with a given model, with its options before the subcommand', () => {
    expect(codex.launch(with_({ resume: 's-1', model: 'gpt-5.5', args: ['--ephemeral'] })).argv.slice(-6)).toEqual([
      '-m',
      'gpt-5.5',
      '--ephemeral',
      'resume',
      's-1',
      '-',
    ])
  })
})

describe('gemini', () => {
  const least =
    'commandPrefix = ["git status","git diff","git log","git show","git add","git commit","git rm","git mv","git rev-parse"'
  const rule = (lines: string, decision: string, priority: number) =>
    `[[rule]]\n${lines}\ndecision = "${decision}"\npriority = ${priority}\n`

  it('may edit, commit and call the MCP server of aiswarm by a policy file', () => {
    const launch = gemini.launch(brief())
    expect(launch.argv).toEqual([
      'gemini',
      '-o',
      'stream-json',
      '--skip-trust',
      '--approval-mode',
      'default',
      '--admin-policy',
      `${run}.policy.toml`,
    ])
    expect(file(launch, '.policy.toml')).toBe(
      [
        rule('mcpName = "aiswarm"\ntoolName = "*"', 'allow', 900),
        rule('toolName = ["write_file","replace"]', 'allow', 800),
        rule(`toolName = "run_shell_command"\n${least}]`, 'allow', 700),
      ].join('\n'),
    )
    expect(launch.home).toEqual({
      path: `${run}.home`,
      folder: '.gemini',
      file: 'settings.json',
      content: {
        mcpServers: { aiswarm: { ...server, trust: true } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        context: { fileFiltering: { enableRecursiveFileSearch: false } },
      },
    })
    expect(launch.environment).toEqual({ GEMINI_CLI_HOME: `${run}.home`, GEMINI_TELEMETRY_ENABLED: 'false' })
  })

  it('may also do what rules allow', () => {
    const policy = file(gemini.launch(with_({ allow: rules })), '.policy.toml')
    expect(policy).toContain(`${least},"npm test","npm run build"]`)
    expect(policy).toContain(rule('toolName = ["WebFetch"]', 'allow', 600))
  })

  it('may do everything, or only read', () => {
    expect(gemini.launch(everything).argv).toEqual([
      'gemini',
      '-o',
      'stream-json',
      '--skip-trust',
      '--approval-mode',
      'yolo',
    ])
    expect(gemini.launch(everything).files).toEqual([])
    const policy = file(gemini.launch(with_({ readOnly: true })), '.policy.toml')
    expect(policy).toContain(rule('toolName = ["write_file","replace"]', 'deny', 800))
    expect(policy).toContain('commandPrefix = ["git status","git diff","git log","git show"]')
  })

  it('resumes a session with a given model', () => {
    expect(gemini.launch(with_({ resume: 's-1', model: 'pro' })).argv.slice(-4)).toEqual(['-m', 'pro', '-r', 's-1'])
  })
})

describe('qwen', () => {
  const start = ['qwen', '-o', 'stream-json', '--mcp-config', `${run}.mcp.json`]
  const least = [
    'git status',
    'git diff',
    'git log',
    'git show',
    'git add',
    'git commit',
    'git rm',
    'git mv',
    'git rev-parse',
  ]
  const allowed = (words: readonly string[]) => words.flatMap((one) => ['--allowed-tools', `run_shell_command(${one})`])

  it('may edit inside its folder and commit', () => {
    const launch = qwen.launch(brief())
    expect(launch.argv).toEqual([...start, '--approval-mode', 'auto-edit', ...allowed(least)])
    expect(json(file(launch, '.mcp.json'))).toEqual({ mcpServers: { aiswarm: { ...server, trust: true } } })
    expect(json(file(launch, '.settings.json'))).toMatchObject({
      permissions: {
        deny: ['Edit(//!(repo))', 'Edit(//!(repo)/**)', 'Edit(//repo/!(auth))', 'Edit(//repo/!(auth)/**)'],
      },
      privacy: { usageStatisticsEnabled: false },
    })
    expect(launch.environment).toEqual({ QWEN_CODE_SYSTEM_DEFAULTS_PATH: `${run}.settings.json` })
  })

  it('escapes pattern characters in the name of a folder', () => {
    expect(file(qwen.launch(with_({ folder: '/a(b)*' })), '.settings.json')).toContain(
      JSON.stringify('Edit(//!(a\\(b\\)\\*)/**)'),
    )
  })

  it('may also do what rules allow', () => {
    expect(qwen.launch(with_({ allow: rules })).argv).toEqual([
      ...start,
      ...[
        '--approval-mode',
        'auto-edit',
        ...allowed([...least, 'npm test', 'npm run build']),
        '--allowed-tools',
        'WebFetch',
      ],
    ])
  })

  it('may do everything, or only read', () => {
    expect(qwen.launch(everything).argv).toEqual([...start, '--approval-mode', 'yolo'])
    expect(file(qwen.launch(everything), '.settings.json')).not.toContain('deny')
    expect(qwen.launch(with_({ readOnly: true })).argv).toEqual([
      ...start,
      '--approval-mode',
      'default',
      ...allowed(least.slice(0, 4)),
    ])
  })

  it('resumes a session with a given model', () => {
    expect(qwen.launch(with_({ resume: 's-1', model: 'q' })).argv.slice(-4)).toEqual(['-m', 'q', '--resume', 's-1'])
  })
})

describe('opencode', () => {
  const start = ['opencode', 'run', '--format', 'json', '--agent', 'aiswarm']
  const config = (of: Parameters<typeof opencode.launch>[0]) =>
    json(opencode.launch(of).environment.OPENCODE_CONFIG_CONTENT!) as {
      agent: { aiswarm: { permission: Record<string, unknown> } }
    }

  it('has an agent of its own, and gets the MCP server only by the names of its environment variables', () => {
    const launch = opencode.launch(brief())
    expect(launch.argv).toEqual(start)
    expect(launch.environment).toMatchObject({ ...server.env, OPENCODE_DISABLE_AUTOUPDATE: '1' })
    expect(launch.environment.OPENCODE_CONFIG_CONTENT).not.toContain('secret-token')
    expect(config(brief())).toMatchObject({
      autoupdate: false,
      share: 'disabled',
      mcp: {
        aiswarm: {
          type: 'local',
          command: ['/usr/bin/node', '/opt/aiswarm/main.js', 'mcp'],
          environment: { AISWARM_AGENT_ID: '{env:AISWARM_AGENT_ID}', AISWARM_AGENT_TOKEN: '{env:AISWARM_AGENT_TOKEN}' },
          enabled: true,
          timeout: 3_600_000,
        },
      },
    })
  })

  it('denies first and allows after, because the last matching pattern decides', () => {
    const { permission } = config(with_({ allow: rules })).agent.aiswarm
    expect(Object.keys(permission)[0]).toBe('*')
    expect(permission).toMatchObject({
      '*': 'deny',
      read: 'allow',
      edit: 'allow',
      'aiswarm_*': 'allow',
      WebFetch: 'allow',
    })
    const bash = Object.entries(permission.bash as Record<string, string>)
    expect(bash[0]).toEqual(['*', 'deny'])
    expect(bash).toEqual(
      expect.arrayContaining([
        ['git commit', 'allow'],
        ['git commit *', 'allow'],
        ['npm test', 'allow'],
        ['npm test *', 'allow'],
      ]),
    )
  })

  it('may do everything, or only read', () => {
    expect(config(everything).agent.aiswarm.permission).toEqual({ '*': 'allow' })
    expect(config(with_({ readOnly: true })).agent.aiswarm.permission).toMatchObject({
      edit: 'deny',
      bash: { '*': 'deny', 'git log *': 'allow' },
    })
    expect(Object.keys(config(with_({ readOnly: true })).agent.aiswarm.permission.bash as object)).toHaveLength(9)
  })

  it('resumes a session with a given model', () => {
    expect(opencode.launch(with_({ resume: 's-1', model: 'a/b' })).argv).toEqual([
      ...start,
      '--model',
      'a/b',
      '--session',
      's-1',
    ])
  })
})

describe('copilot', () => {
  const start = [
    ...['copilot', '--output-format', 'json', '--usage-output-file', `${run}.usage.json`],
    ...[
      '--no-ask-user',
      '--no-auto-update',
      '--disable-builtin-mcps',
      '--disable-client-telemetry',
      '--additional-mcp-config',
      `@${run}.mcp.json`,
    ],
  ]
  const least = [
    'git status',
    'git diff',
    'git log',
    'git show',
    'git add',
    'git commit',
    'git rm',
    'git mv',
    'git rev-parse',
  ]
  const allowed = (...tools: readonly string[]) => tools.map((tool) => `--allow-tool=${tool}`)

  it('may edit, commit and call the MCP server of aiswarm', () => {
    const launch = copilot.launch(brief())
    expect(launch.argv).toEqual([
      ...start,
      ...allowed('aiswarm', 'write', ...least.map((words) => `shell(${words}:*)`)),
    ])
    expect(json(file(launch, '.mcp.json'))).toEqual({
      mcpServers: { aiswarm: { ...server, type: 'local', tools: ['*'] } },
    })
    expect(launch.environment).toEqual({ COPILOT_AUTO_UPDATE: 'false', COPILOT_ALLOW_ALL: 'false' })
  })

  it('may also do what rules of one or two words allow', () => {
    const { argv } = copilot.launch(with_({ allow: rules }))
    expect(argv).toEqual(expect.arrayContaining(allowed('shell(npm test:*)', 'WebFetch')))
    expect(argv.join(' ')).not.toContain('npm run')
  })

  it('may do everything, or only read', () => {
    expect(copilot.launch(everything).argv).toEqual([...start, '--allow-all-tools', '--allow-all-paths'])
    expect(copilot.launch(with_({ readOnly: true })).argv).toEqual([
      ...start,
      ...allowed('aiswarm', ...least.slice(0, 4).map((words) => `shell(${words}:*)`)),
    ])
  })

  it('resumes a session with a given model', () => {
    expect(copilot.launch(with_({ resume: 's-1', model: 'm' })).argv.slice(-3)).toEqual([
      '--model',
      'm',
      '--resume=s-1',
    ])
  })

  it('counts its tokens in a file', () => {
    expect(copilot.afterwards!.path(run)).toBe(`${run}.usage.json`)
  })
})

describe('a configured or personal MCP server', () => {
  const own = {
    docs: { type: 'stdio', command: 'docs-server' },
    'my notes': { url: 'https://notes.example/mcp', type: 'http' },
  }
  const given = {
    tickets: { command: 'tickets', args: ['--stdio'], env: { TICKETS_KEY: 'k' } },
    wiki: { url: 'https://wiki.example/mcp', headers: { Authorization: 'Bearer w' } },
  }
  const keeping = brief({}, { servers: { own, keepsOwn: true, given } })
  const alone = brief({}, { servers: { own, keepsOwn: false, given: {} } })

  it('is passed on to Claude Code explicitly, because a file of a branch must not add any', () => {
    expect(json(file(claude.launch(keeping), '.mcp.json'))).toEqual({
      mcpServers: {
        ...own,
        tickets: { type: 'stdio', ...given.tickets },
        wiki: { type: 'http', ...given.wiki },
        aiswarm: { ...server, type: 'stdio' },
      },
    })
    expect(json(file(claude.launch(alone), '.mcp.json'))).toEqual({
      mcpServers: { aiswarm: { ...server, type: 'stdio' } },
    })
    expect(claude.launch(keeping).argv).toContain('--strict-mcp-config')
  })

  it('is switched off by name for Codex, and no secret is in its arguments', () => {
    const { argv, environment } = codex.launch(keeping)
    expect(argv).toEqual(
      expect.arrayContaining([
        'mcp_servers.tickets.command="tickets"',
        'mcp_servers.tickets.args=["--stdio"]',
        'mcp_servers.tickets.env_vars=["TICKETS_KEY"]',
        'mcp_servers.wiki.url="https://wiki.example/mcp"',
        'mcp_servers.wiki.env_http_headers.Authorization="AISWARM_HEADER_1_0"',
      ]),
    )
    expect(environment).toMatchObject({ TICKETS_KEY: 'k', AISWARM_HEADER_1_0: 'Bearer w' })
    expect(argv.join(' ')).not.toMatch(/Bearer w|mcp_servers\S*enabled=false/)
    expect(codex.launch(alone).argv).toEqual(
      expect.arrayContaining(['mcp_servers.docs.enabled=false', 'mcp_servers.my notes.enabled=false']),
    )
  })

  it('is passed to the other CLIs next to the server of aiswarm, or left out by name', () => {
    const servers = (launch: Launch) =>
      Object.keys((json(file(launch, '.mcp.json')) as { mcpServers: object }).mcpServers)
    expect(servers(qwen.launch(keeping))).toEqual(['tickets', 'wiki', 'aiswarm'])
    expect(qwen.launch(alone).argv.join(' ')).toContain('--allowed-mcp-server-names aiswarm')
    expect(Object.keys((gemini.launch(keeping).home!.content as { mcpServers: object }).mcpServers)).toEqual([
      'tickets',
      'wiki',
      'aiswarm',
    ])
    expect(gemini.launch(alone).argv.join(' ')).toContain('--allowed-mcp-server-names aiswarm')
    expect(servers(copilot.launch(keeping))).toEqual(['tickets', 'wiki', 'aiswarm'])
    expect(copilot.launch(alone).argv.join(' ')).toContain('--disable-mcp-server docs --disable-mcp-server my notes')
    const config = (launch: Launch) =>
      JSON.parse(launch.environment['OPENCODE_CONFIG_CONTENT']!) as { mcp: Record<string, { enabled: boolean }> }
    expect(config(opencode.launch(keeping)).mcp).toMatchObject({
      tickets: { type: 'local', command: ['tickets', '--stdio'] },
      wiki: { type: 'remote' },
      aiswarm: { enabled: true },
    })
    expect(config(opencode.launch(alone)).mcp).toMatchObject({
      docs: { enabled: false },
      'my notes': { enabled: false },
      aiswarm: { enabled: true },
    })
  })

  it('is read from the file in which each CLI keeps it', () => {
    const file = JSON.stringify({
      mcpServers: { a: { command: 'a' } },
      projects: { '/repo': { mcpServers: { b: { command: 'b' } } }, '/other': { mcpServers: { c: {} } } },
    })
    expect(claude.ownServers!.path({ HOME: '/home/ada' })).toBe('/home/ada/.claude.json')
    expect(claude.ownServers!.read(file, '/repo')).toEqual({ a: { command: 'a' }, b: { command: 'b' } })
    expect(
      codex.ownServers!.read(
        '[mcp_servers.docs]\ncommand = "x"\n[mcp_servers.docs.env]\nA = "b"\n[mcp_servers."my notes"]\n',
        '/repo',
      ),
    ).toEqual({ docs: { command: 'x' }, 'my notes': {} })
    expect(claude.ownServers!.read('no json', '/repo')).toEqual({})
    expect(copilot.ownServers!.read('{"mcpServers": {"d": {}}}', '/repo')).toEqual({ d: {} })
    expect(opencode.ownServers!.read('{"mcp": {"e": {}}}', '/repo')).toEqual({ e: {} })
  })
})
