import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BoardSize, makeBoard, makeOutput } from './board.ts'
import { scratch } from './bench-core.ts'

export const program = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/** A git repository whose board is filled; scheduling would start nothing on it, since no kind is configured. */
export const makeRepository = async (size: BoardSize): Promise<string> => {
  const root = join(scratch(), 'bench')
  mkdirSync(root)
  const git = (...args: string[]): void => void execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd: root, stdio: 'ignore' })
  git('init', '--initial-branch=main')
  git('commit', '--allow-empty', '--message', 'Begin')
  execFileSync(process.execPath, [program, 'init', '--root', root], { stdio: 'ignore' })
  execFileSync('node', ['-e', 'for (const end of ["", "-wal", "-shm"]) require("fs").rmSync(process.argv[1] + end, { force: true })', join(root, '.aiswarm', 'coordination.db')])
  await makeBoard(join(root, '.aiswarm'), size)
  makeOutput(root, 'bench-1', 1024 ** 3)
  return root
}
