import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The oldest Node with Node-API 10, which better-sqlite3 needs; an older one crashes in native code without a message. */
const oldest = [22, 14] as const

/** True if this process's Node is new enough. */
export const isNewEnough = (version = process.versions.node): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
}

export const tooOld = (): string =>
  `aiswarm needs Node ${oldest.join('.')} or newer, but this is ${process.versions.node}`

/** The Node that a checkout pins as a development dependency, if it is installed. */
export const pinnedNode = (program: string): string | undefined => {
  const path = join(dirname(fileURLToPath(program)), '..', 'node_modules', 'node', 'bin', 'node')
  return existsSync(path) ? path : undefined
}

/**
 * Restarts this program on another Node with the same terminal and returns its exit code. Signals to this process reach
 * the child; if this process is killed, the child's end of the channel closes and it exits as if its terminal had gone.
 */
export const runAgainOn = (node: string, program: string, argv: readonly string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(node, [fileURLToPath(program), ...argv], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
      // The terminal sends its own signals to the child directly; this passes on those sent to this process only.
      process.on(name, () => void child.kill(name))
    }
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 1)))
  })

/** The newest Node on which V8 was seen to know the flag; one that does not would say so on the terminal. */
const KNOWS_GROWTH = 24

/**
 * Lets V8's young generation grow fourfold instead of twofold at a time: nearly all that a program makes while it loads
 * stays, and each small collection copies it (measured: a tenth of the console's first frame).
 */
export const growFast = (version = process.versions.node): void => growBy(4, version)

/** As V8 does itself, so that a loaded program takes no more memory than it needs. */
export const growAsUsual = (version = process.versions.node): void => growBy(2, version)

const growBy = (factor: number, version: string): void => {
  if (Number.parseInt(version) > KNOWS_GROWTH) return
  process.getBuiltinModule('node:v8').setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}

/** Ends this process when the one that started it through `runAgainOn` is gone. */
export const endWithStarter = (end: () => void): void => {
  if (!process.channel) return
  process.once('disconnect', end)
  process.channel.unref()
}
