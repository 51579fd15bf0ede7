import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scratch } from './bench-core.ts'
import { type BoardSize, greetAgents, makeBoard, makeOutput } from './board.ts'

/** The measured program, or another build of it from the environment, so that two can be compared. */
export const program = process.env['BENCH_PROGRAM'] ?? fileURLToPath(new URL('../dist/main.js', import.meta.url))

const made = new Map<string, Promise<string>>()

/** A git repository with a board of this size, created once per run; its agents are idle and have just sent a heartbeat. */
export const repositoryOf = async (size: BoardSize): Promise<string> => {
  const key = JSON.stringify(size)
  if (!made.has(key)) made.set(key, makeRepository(size))
  const root = await made.get(key)!
  greetAgents(join(root, '.aiswarm'))
  return root
}

/** A git repository with a filled board; scheduling would start nothing on it, because no kind is configured. */
const makeRepository = async (size: BoardSize): Promise<string> => {
  const root = join(scratch(), 'bench')
  mkdirSync(root)
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], {
      cwd: root,
      stdio: 'ignore',
    })
  git('init', '--initial-branch=main')
  git('commit', '--allow-empty', '--message', 'Begin')
  execFileSync(process.execPath, [program, 'init', '--root', root], { stdio: 'ignore' })
  for (const end of ['', '-wal', '-shm']) rmSync(join(root, '.aiswarm', `coordination.db${end}`), { force: true })
  await makeBoard(join(root, '.aiswarm'), size)
  makeOutput(root, 'bench-1', 1024 ** 3)
  // A disk that still writes the board would slow down every commit that is measured.
  execFileSync('sync')
  return root
}

/** A repository with its own board. */
export const makeSwarm = (): string => {
  const root = join(scratch(), 'swarm')
  mkdirSync(root)
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], {
      cwd: root,
      stdio: 'ignore',
    })
  git('init', '--initial-branch=main')
  git('commit', '--allow-empty', '--message', 'Begin')
  execFileSync(process.execPath, [program, 'init', '--root', root], { stdio: 'ignore' })
  return root
}
