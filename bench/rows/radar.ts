import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitProcesses } from '../../src/effects/git/command-log.ts'
import { openRadar } from '../../src/effects/radar/radar.ts'
import type { RadarSubject } from '../../src/operations/worktrees/radar-subjects.ts'
import { scratch } from '../bench-core.ts'
import { median, ms, type Row } from '../row.ts'

const WORKTREES = 50
const FILES = 2000
const QUIET_LOOKS = 20
const ROUNDS = 3

/**
 * A first look at 50 worktrees, every fifth with uncommitted work, compared with one bare `git merge-tree` per pair on
 * the tips, alternating; and the cost of a look without changes. One bare process for all pairs is printed as well: it
 * is the minimum that git needs for the merges themselves.
 */
export const radar = async (): Promise<Row> => {
  const { root, subjects } = makeField()
  const tips = ['main', ...subjects.map(({ branch }) => branch)].map((branch) => git(root, 'rev-parse', branch))
  const pairs = tips.flatMap((one, at) => tips.slice(at + 1).map((other) => `${one} ${other}\n`)).join('')
  const loop =
    'while read one other; do git merge-tree --write-tree --name-only --no-messages "$one" "$other" >> merged || true; done'
  const [ours, each, all, quiet]: [number[], number[], number[], number[]] = [[], [], [], []]
  let [processes, conflicts] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    const scanner = openRadar(root, 'main')
    ours.push(await timed(async () => (conflicts = (await scanner.scan(subjects)).radar.pairs.length)))
    const before = gitProcesses()
    for (let look = 0; look < QUIET_LOOKS; look++) quiet.push(await timed(() => scanner.scan(subjects)))
    processes += gitProcesses() - before
    await scanner.close()
    each.push(await timed(() => execFileSync('/bin/sh', ['-c', loop], { cwd: root, input: pairs })))
    all.push(
      await timed(() =>
        execFileSync('git', ['merge-tree', '--stdin', '--name-only', '--no-messages'], {
          cwd: root,
          input: pairs,
          maxBuffer: 1024 ** 3,
        }),
      ),
    )
  }
  const ratio = median(ours) / median(each)
  return {
    what: `radar over ${WORKTREES} worktrees of ${FILES} files / the bare merge-tree calls; git processes when nothing moved`,
    measured: `${ratio.toFixed(2)}× (${ms(median(ours))} / ${ms(median(each))}; all pairs in one bare process ${ms(median(all))}; ${conflicts} conflicts); ${processes} processes, ${ms(median(quiet))} a look`,
    target: '≤ 1.2× and 0 processes',
    kept: ratio <= 1.2 && processes === 0,
  }
}

const timed = async (work: () => unknown): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()

/**
 * Each worktree has changed four files in a commit; one of them is among seven that all share, so that some pairs
 * conflict.
 */
const makeField = (): { root: string; subjects: readonly RadarSubject[] } => {
  const root = join(scratch(), 'bench')
  mkdirSync(root)
  git(root, 'init', '--initial-branch=main')
  const nameOf = (n: number): string => `src/p${Math.floor(n / 100)}/q${Math.floor(n / 10) % 10}/f${n}.txt`
  const content = (n: number, by = ''): string =>
    `${by}\n${Array.from({ length: 20 }, (_, line) => `line ${line} of ${n}`).join('\n')}\n`
  const write = (folder: string, n: number, by?: string): void => {
    mkdirSync(dirname(join(folder, nameOf(n))), { recursive: true })
    writeFileSync(join(folder, nameOf(n)), content(n, by))
  }
  for (let n = 0; n < FILES; n++) write(root, n)
  git(root, 'add', '--all')
  git(root, 'commit', '--message', 'Begin')
  const subjects = Array.from({ length: WORKTREES }, (_, n): RadarSubject => {
    const path = join(root, '..', `w${n}`)
    git(root, 'worktree', 'add', '-b', `feature/w${n}`, path)
    for (const file of [n % 7, 100 + n * 3, 300 + n * 5, 700 + n * 11]) write(path, file, `by ${n}`)
    git(path, 'commit', '--all', '--message', `Work of ${n}`)
    if (n % 5 === 0) {
      write(path, 1500 + n, `not committed by ${n}`)
      writeFileSync(join(path, 'notes.txt'), `notes of ${n}\n`)
    }
    return {
      name: `w${n}`,
      branch: `feature/w${n}`,
      path,
      target: 'main',
      living: false,
      pushed: null,
      unfinished: 0,
      needs: [],
    }
  })
  return { root, subjects }
}
