import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import stripJsonComments from 'strip-json-comments'
import { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'

/** Seed 000: the folder of the session files and the names of the memory tools (`memoryConfig` of `mcp.json`). */
export interface MemoryConfig {
  /** Relative to the root of the repository. */
  readonly basePath: string
  readonly tools: {
    readonly read: string
    readonly write: string
    readonly edit: string
    readonly list: string
    readonly delete: string
  }
}

export const defaultMemoryConfig: MemoryConfig = {
  basePath: '.serena/memories',
  tools: {
    read: 'read_memory',
    write: 'write_memory',
    edit: 'edit_memory',
    list: 'list_memories',
    delete: 'delete_memory',
  },
}

const toolName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'a tool name is 1 to 64 letters, digits, _ or -')
const basePath = z
  .string()
  .min(1)
  .refine(
    (path) => !isAbsolute(path) && !path.split(/[\\/]/).includes('..') && !path.includes('\0'),
    'a path below the root of the repository is expected',
  )

const file = z.object({
  memoryConfig: z
    .object({
      basePath,
      tools: z.object({ read: toolName, write: toolName, edit: toolName, list: toolName, delete: toolName }).partial(),
    })
    .partial()
    .optional(),
})

/**
 * The settings of `mcp.json` in the root of the repository; defaults for missing ones. Refuses invalid values with file
 * and key.
 */
export const readMemoryConfig = (root: string): MemoryConfig => {
  const path = join(root, 'mcp.json')
  if (!existsSync(path)) return defaultMemoryConfig
  const result = file.safeParse(parse(readFileSync(path, 'utf8'), path))
  if (!result.success) {
    const issue = result.error.issues[0]!
    throw new Refusal('config_invalid', `${path}: ${issue.path.join('.') || 'the file'}: ${issue.message}.`)
  }
  const { memoryConfig } = result.data
  const tools = {
    ...defaultMemoryConfig.tools,
    ...Object.fromEntries(Object.entries(memoryConfig?.tools ?? {}).filter(([, name]) => name !== undefined)),
  }
  const names = Object.values(tools)
  if (new Set(names).size < names.length)
    throw new Refusal('config_invalid', `${path}: memoryConfig.tools: two tools have the same name.`)
  return { basePath: memoryConfig?.basePath ?? defaultMemoryConfig.basePath, tools }
}

const parse = (text: string, path: string): unknown => {
  try {
    return JSON.parse(stripJsonComments(text.replace(/^\ufeff/, ''), { trailingCommas: true }))
  } catch (error) {
    throw new Refusal('config_invalid', `${path} is not valid JSON (${(error as Error).message}).`, { cause: error })
  }
}
