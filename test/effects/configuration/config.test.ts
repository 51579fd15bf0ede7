import { describe, expect, it } from 'vitest'
import { parseSettings, readSettings } from '../../../src/effects/configuration/config.ts'
import { nearest } from '../../../src/operations/perform/nearest.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'
import { listSettings } from '../../documents/configuration.ts'
import { blocksOf, pages } from '../../documents/pages.ts'
import { openSwarm, read, repository, write } from '../swarm.ts'

const settings = (source: string) => parseSettings(source, 'config.yaml').settings
const warnings = (source: string) => parseSettings(source, 'config.yaml').warnings

/** The message with which a configuration is refused. */
const refused = (source: string): string => {
  try {
    parseSettings(source, 'config.yaml')
  } catch (error) {
    if (isRefusal(error) && error.code === 'config_invalid') return error.message
    throw error
  }
  throw new Error('it was taken')
}

describe('the MCP servers of a persona', () => {
  const mcp = (value: string) => `agents: {personas: {reviewer: {mcp: ${value}}}}\n`

  it("are only aiswarm's own, or further ones by name", () => {
    expect(settings(mcp('only-aiswarm')).agents.personas['reviewer']!.mcp).toBe('only-aiswarm')
    expect(
      settings(mcp('{servers: {docs: {command: d, env: {A: 1}}, wiki: {url: "https://w.example/mcp"}}}')).agents
        .personas['reviewer']!.mcp,
    ).toEqual({
      servers: {
        docs: { command: 'd', args: [], env: { A: '1' } },
        wiki: { url: 'https://w.example/mcp', headers: {} },
      },
    })
  })

  it.each([
    ['none'],
    ['{servers: {my_docs: {command: d}}}'],
    ['{servers: {aiswarm: {command: d}}}'],
    ['{servers: {docs: {}}}'],
    ['{servers: {docs: {command: d, url: x}}}'],
  ])('are refused with the value %s', (value) => expect(refused(mcp(value))).toContain('config.yaml:1'))
})

describe('a configuration', () => {
  it.each([
    ['a missing file', undefined],
    ['an empty file', ''],
    ['a file of comments', '# nothing\n# here\n'],
    ['sections without content', 'session:\nagents:\nworktrees: ~\nlease:\n'],
    ['the file that init writes', 'init'],
  ])('with %s has the defaults', (_, source) => {
    const root = repository()
    if (source !== undefined && source !== 'init') write(root, { '.aiswarm/config.yaml': source })
    expect(readSettings(`${root}/.aiswarm/config.yaml`)).toMatchObject({ settings: defaultSettings, warnings: [] })
  })

  it('may contain a single key', () => {
    expect(settings('integration: {approval: auto}')).toEqual({
      ...defaultSettings,
      integration: { ...defaultSettings.integration, approval: 'auto', pass: [] },
    })
    expect(settings('worktrees:\n  setup: npm ci\n').worktrees).toEqual({
      ...defaultSettings.worktrees,
      setup: 'npm ci',
    })
  })

  it('has the defaults that docs/configuration.md shows', () => {
    const page = read(import.meta.dirname, '../../../docs/configuration.md')
    const shown = /<!-- defaults -->\n+```yaml\n([\s\S]*?)```/.exec(page)![1]!
    expect(parseSettings(shown, 'configuration.md')).toEqual({
      settings: defaultSettings,
      namesTarget: true,
      warnings: [],
    })
  })

  it('accepts every other example of the pages', () => {
    const examples = pages.flatMap(blocksOf).filter(({ language }) => language === 'yaml')
    expect(examples.length).toBeGreaterThanOrEqual(7)
    for (const { page, line, text } of examples) expect(parseSettings(text, `${page}:${line}`).warnings).toEqual([])
  })

  it('has every key that docs/configuration.md lists', () => {
    const samples: Readonly<Record<string, unknown>> = {
      text: 'x',
      'list of texts': ['edit'],
      'true, false': true,
      size: '1GB',
      number: 20,
      'only-aiswarm or servers': 'only-aiswarm',
    }
    const sample = (value: string): unknown =>
      samples[value] ?? (value.startsWith('list of') ? [] : value.split(', ')[0])
    for (const { path, value } of listSettings().filter(({ path }) => path.includes('NAME'))) {
      const below = path
        .slice(path.indexOf('NAME') + 1)
        .reduceRight<unknown>((inner, key) => ({ [key]: inner }), sample(value))
      const named = path[1] === 'kinds' ? { command: ['x'], ...(below as object) } : below
      expect(
        parseSettings(JSON.stringify({ [path[0]!]: { [path[1]!]: { NAME: named } } }), path.join('.')).warnings,
      ).toEqual([])
    }
    expect(warnings('agents: {personas: {NAME: {kid: x}}}\n')).toEqual([
      'config.yaml:1: unknown key agents.personas.NAME.kid; did you mean agents.personas.NAME.kind?',
    ])
  })

  it('limits the cost of tasks and sessions, in money, tokens or both', () => {
    expect(settings('budget: {task: {costUsd: 2.5}}\n').budget).toEqual({
      task: { costUsd: 2.5, tokens: null },
      session: { costUsd: null, tokens: null },
    })
    expect(settings('budget:\n  task: ~\n  session: {tokens: 1000000, costUsd: 20}\n').budget).toEqual({
      task: { costUsd: null, tokens: null },
      session: { costUsd: 20, tokens: 1_000_000 },
    })
    expect(warnings('budget:\n  task: {costUSD: 2}\n')).toEqual([
      'config.yaml:2: unknown key budget.task.costUSD; did you mean budget.task.costUsd?',
    ])
  })

  it('has every key of the design', () => {
    const source = `
session:     {maxParallel: 4, maxRetries: 0, pollInterval: 5s, maxOpenTasks: 7, logLimit: 1MB, freeDisk: 1.5 GB, freeMemory: 1GB}
agents:
  default: mine
  personas: {reviewer: {kind: codex, model: gpt-5.5, args: [-x], approvals: allow-edits, limits: {memory: 2GB}, allow: [edit, shell(npm test)], toolsets: [dual-memory]}, tester: mine}
  names:    {backend: qwen}
  kinds:    {mine: {command: [my-agent, "{prompt}"], prompt: stdin, files: true, env: {A: b, N: 1}}}
  pass:     [MY_*]
  connect:  socket
sandbox:     {mode: required, write: [~/.npm], read: [~/.npmrc], hide: [/srv], others: hide, network: allowlist, hosts: [localhost:4873]}
limits:      {memory: 4GB, processes: 500, cpuWeight: 50}
permissions: {timeout: 5m}
worktrees:   {perTask: true, writers: 2, path: "../work/{name}", setup: npm ci, setupTimeout: 2m, teardown: make clean, teardownTimeout: 10s, ports: [5000, 5999], retention: 3d}
integration: {target: trunk, verify: npm test, approval: auto, tests: [spec/**], watchCheckout: false}
fleet:       {silentAfter: 20s, lostAfter: 2m, maxLoad: null, pushBranches: heads}
lease:       {ttl: 2s, heartbeat: 500ms, stalledAfter: 1h, terminateGrace: 1.5s}
mcp:         {toolsets: [session-files]}
memory:      {owners: {claude: [verification]}}
budget:      {task: {costUsd: 2.5, tokens: 1000}, session: {costUsd: 20}}
notify:      {bell: false, osc: false, command: 'notify-send aiswarm {text}', quiet: [failed]}
console:     {theme: light, keys: {spawn: S}, mouse: false, strict: true, templates: {tests: Run them}}
on:
  task.completed: [{run: notify-send done}, {post: "http://127.0.0.1:9000/hook", headers: {Authorization: Bearer x}}]
  task.failed: ./ci/failed.sh
  worktree.integrated: {post: "https://example.com"}
`
    const parsed = parseSettings(source, 'config.yaml')
    expect(parsed.warnings).toEqual([])
    expect(parsed.settings).toEqual({
      session: {
        maxParallel: 4,
        maxRetries: 0,
        pollInterval: 5000,
        maxOpenTasks: 7,
        logLimit: 1024 ** 2,
        freeDisk: 1.5 * 1024 ** 3,
        freeMemory: 1024 ** 3,
      },
      agents: {
        default: 'mine',
        personas: {
          reviewer: {
            kind: 'codex',
            model: 'gpt-5.5',
            args: ['-x'],
            approvals: 'allow-edits',
            limits: { memory: 2 * 1024 ** 3 },
            allow: ['edit', 'shell(npm test)'],
            toolsets: ['dual-memory'],
          },
          tester: { kind: 'mine', args: [], approvals: 'ask', allow: [] },
        },
        names: { backend: 'qwen' },
        kinds: { mine: { command: ['my-agent', '{prompt}'], prompt: 'stdin', files: true, env: { A: 'b', N: '1' } } },
        pass: ['MY_*'],
        connect: 'socket',
      },
      sandbox: {
        mode: 'required',
        write: ['~/.npm'],
        read: ['~/.npmrc'],
        hide: ['/srv'],
        others: 'hide',
        network: 'allowlist',
        hosts: ['localhost:4873'],
      },
      limits: { memory: 4 * 1024 ** 3, processes: 500, cpuWeight: 50 },
      permissions: { timeout: 300_000 },
      worktrees: {
        perTask: true,
        agentBranches: 'agents/',
        writers: 2,
        path: '../work/{name}',
        setup: 'npm ci',
        setupTimeout: 120_000,
        teardown: 'make clean',
        teardownTimeout: 10_000,
        ports: [5000, 5999],
        retention: 259_200_000,
      },
      integration: {
        target: 'trunk',
        verify: 'npm test',
        approval: 'auto',
        tests: ['spec/**'],
        pass: [],
        watchCheckout: false,
      },
      fleet: { silentAfter: 20_000, lostAfter: 120_000, maxLoad: null, pushBranches: 'heads' },
      lease: { ttl: 2000, heartbeat: 500, stalledAfter: 3_600_000, terminateGrace: 1500 },
      mcp: { toolsets: ['session-files'] },
      memory: { owners: { claude: ['verification'] } },
      budget: { task: { costUsd: 2.5, tokens: 1000 }, session: { costUsd: 20, tokens: null } },
      notify: { bell: false, osc: false, command: 'notify-send aiswarm {text}', quiet: ['failed'] },
      console: { theme: 'light', keys: { spawn: ['S'] }, mouse: false, strict: true, templates: { tests: 'Run them' } },
      on: {
        'task.completed': [
          { run: 'notify-send done' },
          { post: 'http://127.0.0.1:9000/hook', headers: { Authorization: 'Bearer x' } },
        ],
        'task.failed': [{ run: './ci/failed.sh' }],
        'worktree.integrated': [{ post: 'https://example.com', headers: {} }],
      },
    })
  })
})

describe('a configuration error is refused with file, line and key:', () => {
  it.each([
    [
      'session:\n  maxParallel: 3\n  maxRetries: many\n',
      'config.yaml:3: session.maxRetries: a whole number is expected.',
    ],
    ['lease:\n  ttl: soon\n', "config.yaml:2: lease.ttl: 'soon' is not a duration; write 500ms, 30s, 10m or 2h."],
    ['# a comment\nintegration:\n  approval: maybe\n', /^config\.yaml:3: integration\.approval: .*human.*auto/],
    ['worktrees:\n  path: ../work\n', 'config.yaml:2: worktrees.path: the path must contain {name}.'],
    [
      'agents:\n  kinds:\n    mine:\n      command: []\n',
      'config.yaml:4: agents.kinds.mine.command: the command is empty.',
    ],
    ['agents:\n  kinds:\n    mine:\n      prompt: argv\n', /^config\.yaml:3: agents\.kinds\.mine\.command: /],
    [
      'agents:\n  personas:\n    tester:\n      toolsets: [memory]\n',
      /^config\.yaml:4: agents\.personas\.tester\.toolsets\.0: .*project-memory/,
    ],
    [
      'agents:\n  personas:\n    tester:\n      allow: [everything]\n',
      /^config\.yaml:4: agents\.personas\.tester\.allow\.0: a rule is/,
    ],
    ['worktrees:\n  ports: [1, 99999]\n', /^config\.yaml:2: worktrees\.ports\.1: /],
    [
      'worktrees:\n  ports: [5999, 5000]\n',
      'config.yaml:2: worktrees.ports: the first port is above the last; write [41000, 41999].',
    ],
    [
      'budget:\n  task:\n    costUsd: much\n',
      'config.yaml:3: budget.task.costUsd: an amount in dollars is expected, such as 2.5.',
    ],
    [
      'notify:\n  command: sh -c "say {text}"\n',
      'config.yaml:2: notify.command: {text} must be a separate word; elsewhere write "$AISWARM_NOTICE".',
    ],
    ['notify: {quiet: [all]}\n', /^config\.yaml:1: notify\.quiet\.0: /],
    ['session: {logLimit: 64}\n', "config.yaml:1: session.logLimit: '64' is not a size; write 64MB or 1GB."],
    ['session: {logLimit: 1KB}\n', 'config.yaml:1: session.logLimit: a log holds at least 64 KB.'],
    ['budget: {session: {tokens: 0}}\n', 'config.yaml:1: budget.session.tokens: a budget is greater than 0.'],
    ['session:\n  maxParallel: -1\n', /^config\.yaml:2: session\.maxParallel: /],
    [
      'on:\n  task.failed:\n    - run: a\n    - post: ftp://x\n',
      "config.yaml:4: on.task.failed.1.post: 'ftp://x' is not a URL; http://… or https://… is expected.",
    ],
    [
      'on:\n  task.failed: {post: "http://ada:secret@x"}\n',
      'config.yaml:2: on.task.failed.0.post: a URL must not contain a password; use an Authorization header.',
    ],
    [
      'on:\n  task.failed: {run: a, post: "http://x"}\n',
      "config.yaml:2: on.task.failed.0: a hook has either 'run' or 'post'.",
    ],
    [
      'on:\n  task.failed: {post: "http://x", headers: {"a b": c}}\n',
      /^config\.yaml:2: on\.task\.failed\.0\.headers: /,
    ],
    ['- a\n- b\n', /^config\.yaml:1: the file: /],
    ['just text', /^config\.yaml:1: the file: /],
  ])('%j', (source, sentence) => {
    expect(refused(source)).toMatch(sentence)
  })

  it('aliases for more values than memory can hold, and an alias without an anchor', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...[...'bcdefgh'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`),
    ].join('\n')
    expect(refused('session: *nothing\n')).toMatch(/^config\.yaml: Unresolved alias/)
    expect(refused(bomb)).toMatch(/^config\.yaml.*\. Write the values out instead of using aliases\./)
  })

  it('text that is not YAML', () => {
    expect(refused('session:\n  maxParallel: 3\n lease: [\n')).toMatch(/^config\.yaml:[34]: /)
    expect(refused('session: 1\nsession: 2\n')).toMatch(/^config\.yaml:2: .*unique/)
  })

  it('and the program does not start', async () => {
    await expect(openSwarm({ config: 'lease:\n  ttl: soon\n' })).rejects.toThrow(
      /\.aiswarm\/config\.yaml:2: lease\.ttl/,
    )
  })
})

describe('an unknown key of the configuration', () => {
  it('gives a warning with the nearest key', () => {
    expect(warnings('# c\nsesion:\n  maxParallel: 3\n')).toEqual([
      'config.yaml:2: unknown key sesion; did you mean session?',
    ])
    expect(warnings('session:\n  maxparallel: 3\n  # c\n  retries: 1\n')).toEqual([
      'config.yaml:2: unknown key session.maxparallel; did you mean session.maxParallel?',
      expect.stringMatching(/^config\.yaml:4: unknown key session\.retries/),
    ])
  })

  it('is also found below events', () => {
    expect(warnings('on:\n  task.complete: a\n')).toEqual([
      'config.yaml:2: unknown key on.task.complete; did you mean on.task.completed?',
    ])
  })

  it('gives no advice if it is far from every other key', () => {
    expect(warnings('zzzzzzzz: 1\n')).toEqual(['config.yaml:1: unknown key zzzzzzzz'])
  })

  it('is found below a custom kind and a custom persona', () => {
    expect(
      warnings('agents:\n  kinds:\n    mine: {command: [x], promt: stdin}\n  personas:\n    reviewer: {modell: x}\n'),
    ).toEqual([
      'config.yaml:3: unknown key agents.kinds.mine.promt; did you mean agents.kinds.mine.prompt?',
      'config.yaml:5: unknown key agents.personas.reviewer.modell; did you mean agents.personas.reviewer.model?',
    ])
  })

  it('does not invalidate the other keys', () => {
    expect(settings('sesion: {}\nsession: {maxParallel: 9}\n').session.maxParallel).toBe(9)
  })

  it('is reported when the program starts', async () => {
    const { warnings: told, root } = await openSwarm({ config: 'lese: {}\n' })
    expect(told).toEqual([`${root}/.aiswarm/config.yaml:1: unknown key lese; did you mean lease?`])
    expect(read(root, '.aiswarm/config.yaml')).toBe('lese: {}\n')
  })
})

it.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['1.5m', 90_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['0s', 0],
  [30, 30_000],
  ['1e300', 3650 * 86_400_000],
  ['99999999999999d', 3650 * 86_400_000],
])('the duration %s is %i ms', (text, ms) => {
  expect(settings(`lease: {ttl: ${text}}`).lease.ttl).toBe(ms)
})

it('the suggested word is one that is near', () => {
  expect(nearest('implementor', ['implementer', 'planner'])).toBe('implementer')
  expect(nearest('xyz', ['implementer', 'planner'])).toBeUndefined()
  expect(nearest('a', [])).toBeUndefined()
})
