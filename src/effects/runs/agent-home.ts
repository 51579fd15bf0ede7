import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import stripJsonComments from 'strip-json-comments'
import type { AgentHome } from '../../agents/kind/kind.ts'
import { Refusal } from '../../domain/rules/refusal.ts'

/**
 * Creates a separate home for a CLI that accepts settings only from there: its settings file is the person's with ours
 * merged over it, and everything else (login, sessions) is linked to the person's own. Changes nothing of the person's.
 */
export const makeAgentHome = ({ path, folder, file, content }: AgentHome, home: string = homedir()): void => {
  const own = join(home, folder)
  const lent = join(path, folder)
  mkdirSync(lent, { recursive: true, mode: 0o700 })
  // Data that the CLI keeps between runs goes to a place where a later run finds it.
  mkdirSync(join(own, 'tmp'), { recursive: true })
  for (const name of readdirSync(own))
    if (name !== file && !existsSync(join(lent, name))) symlinkSync(join(own, name), join(lent, name))
  writeFileSync(join(lent, file), `${JSON.stringify(merged(settingsIn(join(own, file)), content), null, 2)}\n`, {
    mode: 0o600,
  })
}

const settingsIn = (path: string): unknown => {
  if (!existsSync(path)) return {}
  try {
    return JSON.parse(stripJsonComments(readFileSync(path, 'utf8'), { trailingCommas: true }))
  } catch (error) {
    throw new Refusal(
      'config_invalid',
      `${path} is not valid JSON, so no agent can be started with it; fix it first.`,
      { cause: error },
    )
  }
}

/** Our value takes precedence; objects are merged key by key. */
const merged = (theirs: unknown, ours: unknown): unknown =>
  isRecord(theirs) && isRecord(ours)
    ? {
        ...theirs,
        ...Object.fromEntries(Object.entries(ours).map(([key, value]) => [key, merged(theirs[key], value)])),
      }
    : ours

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
