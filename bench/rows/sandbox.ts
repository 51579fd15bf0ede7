import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { openStore } from '../../src/db/sqlite/open.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { openWorld } from '../../src/effects/opening/open-core.ts'
import { outsideOf } from '../../src/effects/opening/outside.ts'
import { confine } from '../../src/effects/sandbox/confinement.ts'
import { wordsInside } from '../../src/effects/sandbox/run.ts'
import type { World } from '../../src/effects/world.ts'
import { act } from '../../src/operations/perform/perform.ts'
import type { AgentRun } from '../../src/operations/supervision/wishes.ts'
import { createWorktree } from '../../src/operations/worktrees/create.ts'
import { migrations, scratch } from '../bench-core.ts'
import { program } from '../repository.ts'
import { median, ms, type Row } from '../row.ts'

const FILES = 5000
const ROUNDS = 7

/**
 * An agent in the sandbox and the same without, alternating: its start until its first line, `git status` in a worktree,
 * and a suite of tests that reads files and starts processes. The agent is a program that loads a compiler, which takes
 * a part of the time that the real ones need.
 */
export const sandboxCost = async (): Promise<Row> => {
  const { world, folder } = await makeWorktree()
  const require = createRequire(import.meta.url)
  const node = process.execPath
  const [status, suite] = [
    'i=0; while [ $i -lt 20 ]; do git status --short; i=$((i+1)); done',
    `"${node}" --test suite.test.cjs`,
  ]
  const agent = [node, '-e', `require(${JSON.stringify(require.resolve('typescript'))}); console.log('ready')`]
  const timed = (command: string): readonly string[] => [
    '/bin/sh',
    '-c',
    `a=$(date +%s%N); ${command} > /dev/null; b=$(date +%s%N); echo "took $((b - a))"`,
  ]
  const inside = async (): Promise<readonly string[]> =>
    (await confine(world, 'agent', { folder, programs: [node], environment: {} }, 'required')).words
  const start = async (): Promise<readonly string[]> => wordsInside(world, run, { ...idle, cwd: folder, program: node })
  const times: Record<'start' | 'status' | 'suite', [number[], number[]]> = {
    start: [[], []],
    status: [[], []],
    suite: [[], []],
  }
  for (let round = 0; round <= ROUNDS; round++) {
    const taken = {
      start: [await untilLine([...(await start()), ...agent], folder), await untilLine(agent, folder)],
      status: [await within([...(await inside()), ...timed(status)], folder), await within(timed(status), folder)],
      suite: [await within([...(await inside()), ...timed(suite)], folder), await within(timed(suite), folder)],
    }
    // The first round fills the caches.
    if (round > 0)
      for (const what of ['start', 'status', 'suite'] as const)
        taken[what].forEach((time, side) => times[what][side as 0 | 1].push(time))
  }
  world.core.store.close()
  const ratio = (what: keyof typeof times): number => median(times[what][0]) / median(times[what][1])
  const line = (what: keyof typeof times, words: string): string =>
    `${words} ${ratio(what).toFixed(2)}× (${ms(median(times[what][0]))} / ${ms(median(times[what][1]))})`
  return {
    what: 'in the sandbox / without it',
    measured: [
      line('start', 'start of an agent'),
      line('status', '20 git status'),
      line('suite', 'suite of tests'),
    ].join('; '),
    target: 'start ≤ 1.2×, the others ≤ 1.05×',
    kept: ratio('start') <= 1.2 && ratio('status') <= 1.05 && ratio('suite') <= 1.05,
  }
}

const idle = { files: [], environment: {} }

const run: AgentRun = {
  agentId: 'implementer-1',
  personaId: 'implementer',
  kind: 'claude',
  run: 1,
  process: 'wanted',
  taskId: null,
  worktree: 'auth',
  folder: null,
  identity: null,
  environment: {},
  stopRequestedAt: null,
  ofAgent: false,
  ofConfined: false,
  gone: false,
  doneAt: null,
  held: false,
  pausedAt: null,
  talks: false,
}

const makeWorktree = async (): Promise<{ readonly world: World; readonly folder: string }> => {
  const root = join(scratch(), 'bench')
  mkdirSync(root)
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: root, stdio: 'ignore' })
  git('init', '--initial-branch=main')
  git('config', 'user.name', 'bench')
  git('config', 'user.email', 'bench@localhost')
  for (let n = 0; n < FILES; n++) {
    const path = join(root, `src/${n % 50}/file-${n}.txt`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `file ${n}\n`.repeat(20))
  }
  writeFileSync(
    join(root, 'suite.test.cjs'),
    `const { test } = require('node:test'); const fs = require('fs'); const { execFileSync } = require('child_process')
for (let n = 0; n < 20; n++) test('t' + n, () => { for (let f = n; f < ${FILES}; f += 20) fs.readFileSync('src/' + (f % 50) + '/file-' + f + '.txt'); execFileSync('/bin/true') })\n`,
  )
  git('add', '.')
  git('commit', '--message', 'Begin')
  mkdirSync(join(root, '.aiswarm'))
  writeFileSync(join(root, '.aiswarm/config.yaml'), 'sandbox: {mode: required}\n')
  const world = await openWorld(root, {
    openStore: (path) => openStore(path, { migrations }),
    self: [process.execPath, program],
    warn: () => {},
  })
  const connection = { core: world.core, actor: person, outside: outsideOf(world) }
  const { path } = await act(connection, createWorktree, { name: 'auth', branchName: 'feature/auth' })
  return { world, folder: path }
}

/** Milliseconds until the first line of a program. */
const untilLine = (argv: readonly string[], cwd: string): Promise<number> => {
  const began = performance.now()
  return said(argv, cwd).then(({ first }) => first - began)
}

/** The milliseconds that the program itself measured. */
const within = async (argv: readonly string[], cwd: string): Promise<number> => {
  const { text } = await said(argv, cwd)
  const took = /took (\d+)/.exec(text)?.[1]
  if (took === undefined) throw new Error(`it said: ${text}`)
  return Number(took) / 1e6
}

const said = ([file, ...args]: readonly string[], cwd: string): Promise<{ first: number; text: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(file!, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let [first, text] = [0, '']
    const hear = (piece: Buffer): void => {
      text += piece.toString()
    }
    child.stdout.on('data', (piece: Buffer) => {
      first ||= performance.now()
      hear(piece)
    })
    child.stderr.on('data', hear)
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve({ first, text }) : reject(new Error(`exit ${code}: ${text}`))))
  })
