import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { temporaryFolder } from '../../support/core.ts'
import { dose, ofDay, whole } from '../../support/dose.ts'
import { endProcess } from '../../support/processes.ts'
import { git, openSwarm, read, sh, write } from '../swarm.ts'

/** One step in this many is tried per day. */
const ONE_IN = 12

/** Moves of many files that are killed at a random time; each takes seconds. */
const ROUNDS = dose(20, 3)
const FILES = dose(3000, 1500)

const lander = resolve(import.meta.dirname, '../../fixtures/lander.ts')

const begin = (
  root: string,
  killAt = 0,
): {
  readonly child: ChildProcess
  readonly begun: Promise<unknown>
  readonly ended: Promise<{ signal: string | null; steps: number; said: string }>
} => {
  const child = spawn(process.execPath, [lander, root, String(killAt)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (said += piece.toString()))
  const begun = once(child.stdout, 'data')
  const ended = once(child, 'close').then(([, signal]) => ({
    signal: signal as string | null,
    steps: Number(/steps (\d+)/.exec(said)?.[1] ?? 0),
    said,
  }))
  return { child, begun, ended }
}

const land = async (root: string) => {
  const { said, signal } = await begin(root).ended
  expect({ signal, said }).toEqual({ signal: null, said: expect.stringMatching(/^begins\nsteps \d+\n$/) as string })
}

/**
 * The changes of the move: files that are changed, added, deleted, made executable or made a link, and a folder in
 * place of a file and the reverse.
 */
const before: Record<string, string> = {
  changed: 'old\n',
  gone: 'g\n',
  'folder/gone': 'g\n',
  'file-to-folder': 'f\n',
  'folder-to-file/a': 'a\n',
  run: 'r\n',
  link: 'l\n',
  mine: 'm\n',
  'a b\n"ä': 'old\n',
}

const change = (folder: string): void => {
  sh(
    folder,
    `echo new > changed; rm gone folder/gone; rm file-to-folder; mkdir file-to-folder; echo in > file-to-folder/in; rm -r folder-to-file; echo f > folder-to-file
     chmod +x run; rm link; ln -s changed link; printf 'new\\n' > 'a b
"ä'; echo added > added; mkdir deep; echo d > deep/er; echo h > "$(printf 'no text \\377')"; git add --all; git commit -qm Change`,
  )
}

/** A repository with an approved integration, and uncommitted edits of the person; created once and copied. */
const template = async ({
  files = before,
  work = change,
}: { files?: Record<string, string>; work?: (folder: string) => void } = {}) => {
  const swarm = await openSwarm({ files: { ...files, staged: 's\n', unstaged: 'u\n' } })
  work(await swarm.build('auth'))
  await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
  const { targetOid, branchOid, mergeOid } = (await swarm.worktree('auth')).integration!
  write(swarm.root, { staged: 'mine\n', 'not/tracked': 'mine\n' })
  git(swarm.root, 'add', 'staged')
  write(swarm.root, { unstaged: 'mine too\n' })
  await perform(
    swarm.core,
    approveIntegration,
    { worktreeName: 'auth', targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid! },
    person,
  )
  swarm.core.store.close()
  return { root: swarm.root, targetOid: targetOid!, mergeOid: mergeOid! }
}

/** The worktree next to it is not copied: the move does not need its folder. */
const copyOf = (root: string): string => {
  const copy = join(realpathSync(temporaryFolder()), 'shop')
  execFileSync('cp', ['-a', root, copy])
  git(copy, 'update-index', '-q', '--refresh')
  return copy
}

const status = (root: string): string => git(root, 'status', '--porcelain', '--untracked-files=all')

/** Every step of a move, by its number. */
const pointsOf = (steps: number): readonly number[] => Array.from({ length: steps }, (_, at) => at + 1)

const mine = ' M unstaged\n?? not/tracked'

const expectLanded = (root: string, mergeOid: string, at: string): void => {
  expect([git(root, 'rev-parse', 'main'), git(root, 'symbolic-ref', 'HEAD')], at).toEqual([mergeOid, 'refs/heads/main'])
  expect(status(root), at).toBe(`M  staged\n${mine}`)
  expect([read(root, 'unstaged'), read(root, 'not/tracked'), git(root, 'show', ':staged')], at).toEqual([
    'mine too\n',
    'mine\n',
    'mine',
  ])
  expect(
    readdirSync(join(root, '.git')).filter((name) => /lock|aiswarm/.test(name)),
    at,
  ).toEqual([])
  expect(git(root, 'fsck', '--connectivity-only'), at).not.toMatch(/missing|broken/)
}

describe('a move that is killed', { timeout: 600_000 }, () => {
  it("before any step is completed by the next one, and the person's edits are kept", async () => {
    const { root, mergeOid } = await template()
    const unbroken = copyOf(root)
    const { steps } = await begin(unbroken).ended
    expect(steps).toBeGreaterThan(12)
    expectLanded(unbroken, mergeOid, 'unbroken')
    await inTurns(ofDay(pointsOf(steps), ONE_IN), 3, async (point) => {
      const copy = copyOf(root)
      const { signal } = await begin(copy, point).ended
      expect({ point, signal }).toEqual({ point, signal: 'SIGKILL' })
      await land(copy)
      expectLanded(copy, mergeOid, `killed before step ${point}`)
    })
  })

  it(`${ROUNDS} times at a random time, with ${FILES} files, is completed every time`, async () => {
    const files = Object.fromEntries(
      Array.from({ length: FILES }, (_, n) => [`src/${n % 50}/file-${n}.txt`, `old ${n}\n`.repeat(20)]),
    )
    const { root, mergeOid } = await template({
      files,
      work: (folder) => {
        for (const [path, content] of Object.entries(files))
          writeFileSync(join(folder, path), content.replaceAll('old', 'new'))
        git(folder, 'commit', '--quiet', '--all', '--message', 'Everything')
      },
    })
    const killed: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const copy = copyOf(root)
      const { child, begun, ended } = begin(copy)
      await begun
      const half = async (): Promise<void> => {
        // In the middle of the files in about half of the cases.
        const wanted = round % 2 === 0 ? Math.floor((FILES * round) / ROUNDS) : -1
        for (
          let tries = 0;
          wanted > 0 && tries < 3000 && read(copy, `src/${wanted % 50}/file-${wanted}.txt`).startsWith('old');
          tries++
        )
          await sleep(1)
        if (wanted <= 0) await sleep((round * 240) / ROUNDS)
      }
      await half().catch(() => {})
      // Every second time git itself continues alone. On a busy machine it may already have ended.
      if (round % 4 < 2) endProcess(-child.pid!)
      else child.kill('SIGKILL')
      killed.push(String((await ended).signal))
      await land(copy)
      expectLanded(copy, mergeOid, `round ${round}`)
      rmSync(copy, { recursive: true, force: true })
    }
    expect(killed.filter((signal) => signal === 'SIGKILL').length).toBeGreaterThan(ROUNDS / 2)
  })

  it("and then changed by the person keeps the person's changes", async () => {
    const { root, targetOid, mergeOid } = await template()
    const { steps } = await begin(copyOf(root)).ended
    const ends = new Set<string>()
    // Both sides of the moment at which git has written the file, a few steps before the last.
    for (const point of whole ? pointsOf(steps) : [0.4, 0.65, 0.75, 0.9].map((share) => Math.round(steps * share))) {
      const copy = copyOf(root)
      const at = `killed before step ${point}`
      expect(await begin(copy, point).ended, at).toMatchObject({ signal: 'SIGKILL' })
      // Once the file exists, the move continues; before that it would overwrite what the person wrote.
      const written = read(copy, 'changed') === 'new\n'
      writeFileSync(join(copy, 'changed'), 'by hand\n')
      await land(copy)
      const { integration } = await (await openSwarm({ root: copy })).worktree('auth')
      expect(integration, at).toMatchObject(
        written
          ? { status: 'integrated', problem: null }
          : {
              status: 'ready',
              problem: expect.stringMatching(/^changed would be overwritten, so main could not be moved/) as string,
            },
      )
      expect(git(copy, 'rev-parse', 'main'), at).toBe(written ? mergeOid : targetOid)
      expect(read(copy, 'changed'), at).toBe('by hand\n')
      expect(status(copy), at).toBe(` M changed\nM  staged\n${mine}`)
      expect([read(copy, 'unstaged'), git(copy, 'show', ':staged')], at).toEqual(['mine too\n', 'mine'])
      expect(existsSync(join(copy, '.git/index.lock')), at).toBe(false)
      ends.add(integration!.status)
    }
    expect(ends).toEqual(new Set(['ready', 'integrated']))
  })

  it('and is then followed by another commit on main is rolled back, and that commit stays', async () => {
    const { root, mergeOid } = await template()
    const { steps } = await begin(copyOf(root)).ended
    // Before the first step nothing has started that another commit could overtake.
    for (const point of ofDay(pointsOf(steps).slice(1), ONE_IN)) {
      const copy = copyOf(root)
      await begin(copy, point).ended
      if (git(copy, 'rev-parse', 'main') === mergeOid) continue
      // Only the ref moves, as an agent would do it: the files are not changed.
      const later = git(copy, 'commit-tree', 'main^{tree}', '-p', 'main', '-m', 'Later')
      git(copy, 'update-ref', 'refs/heads/main', later)
      await land(copy)
      const at = `killed before step ${point}`
      expect(git(copy, 'rev-parse', 'main'), at).toBe(later)
      expect(status(copy), at).toBe(`M  staged\n${mine}`)
      expect(existsSync(join(copy, '.git/index.lock')), at).toBe(false)
    }
  })
})

describe('the lock of a checkout', () => {
  it("is never touched if it is a person's: the move is held with a message", async () => {
    const { root } = await template()
    const lock = join(root, '.git/index.lock')
    writeFileSync(lock, 'DIRC of somebody')
    const main = git(root, 'rev-parse', 'main')
    await land(root)
    const swarm = await openSwarm({ root })
    const { status: state, problem } = (await swarm.worktree('auth')).integration!
    expect([state, readFileSync(lock, 'utf8'), git(root, 'rev-parse', 'main')]).toEqual([
      'ready',
      'DIRC of somebody',
      main,
    ])
    expect(problem).toContain(`Another git process runs in ${root}`)
  })
})

/** Processes the items, this many at a time. */
const inTurns = async <T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> => {
  const left = [...items]
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
    }),
  )
}
