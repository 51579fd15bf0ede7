import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BoardSize, greetAgents, makeBoard, makeOutput } from './board.ts'
import { scratch } from './bench-core.ts'

/** The program that is measured; another build of it where the environment names one, so that two can be compared. */
export const program = process.env['BENCH_PROGRAM'] ?? fileURLToPath(new URL('../dist/main.js', import.meta.url))

const made = new Map<string, Promise<string>>()

/** A git repository with a board of this size, made once a run; its agents are idle and have just given a sign of life. */
export const repositoryOf = async (size: BoardSize): Promise<string> => {
  const key = JSON.stringify(size)
  if (!made.has(key)) made.set(key, makeRepository(size))
  const root = await made.get(key)!
  greetAgents(join(root, '.aiswarm'))
  return root
}

/** A git repository whose board is filled; scheduling would start nothing on it, since no kind is configured. */
const makeRepository = async (size: BoardSize): Promise<string> => {
  const root = join(scratch(), 'bench')
  mkdirSync(root)
  const git = (...args: string[]): void => void execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd: root, stdio: 'ignore' })
  git('init', '--initial-branch=main')
  git('commit', '--allow-empty', '--message', 'Begin')
  execFileSync(process.execPath, [program, 'init', '--root', root], { stdio: 'ignore' })
  for (const end of ['', '-wal', '-shm']) rmSync(join(root, '.aiswarm', `coordination.db${end}`), { force: true })
  await makeBoard(join(root, '.aiswarm'), size)
  makeOutput(root, 'bench-1', 1024 ** 3)
  return root
}
