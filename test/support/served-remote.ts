import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { sh } from '../effects/swarm.ts'
import { temporaryFolder } from './core.ts'
import { freePort } from './postgres.ts'

/** A bare repository of these commits, with the address of its git server. */
export const served = async (root: string): Promise<{ readonly folder: string; readonly url: string }> => {
  const served = temporaryFolder()
  const [folder, port] = [join(served, 'shop.git'), await freePort()]
  sh(root, `git clone --quiet --bare . "${folder}"; git -C "${folder}" config http.receivepack true`)
  const server = spawn(
    process.execPath,
    [resolve(import.meta.dirname, '../fleet/git-server.ts'), served, '127.0.0.1', String(port)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void server.stdin.end())
  await once(server.stdout, 'data')
  return { folder, url: `http://127.0.0.1:${port}/shop.git` }
}
