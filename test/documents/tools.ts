import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tools } from '../../src/mcp/tools/tools.ts'
import type { ToolRow } from '../../src/mcp/tools/tool.ts'
import { toolsets } from '../../src/mcp/tools/toolsets.ts'
import { code, table } from './tables.ts'

/** Every MCP tool with the first sentence of its description and its parameters, by toolset. */
export const toolTables = async (): Promise<string> => {
  const root = mkdtempSync(join(tmpdir(), 'aiswarm-documents-'))
  try {
    const groups = await Promise.all(
      Object.entries(toolsets).map(async ([name, rows]) => [`Toolset ${code(name)}`, await rows(root)] as const),
    )
    return [['Tools that every agent has', tools] as const, ...groups]
      .map(([title, rows]) => `### ${title}\n\n${toolTable(rows)}`)
      .join('\n\n')
  } finally {
    rmSync(root, { recursive: true })
  }
}

const toolTable = (rows: readonly ToolRow[]): string =>
  table(
    ['tool', 'what it does', 'parameters'],
    rows.map((row) => [code(row.name), firstSentence(row.description), parametersOf(row)]),
  )

const firstSentence = (text: string): string => /^.*?[.?!](?=\s|$)/s.exec(text)?.[0] ?? text

/** Required parameters first, in the order of the schema; a `?` marks optional ones. */
const parametersOf = ({ inputSchema }: ToolRow): string => {
  const { properties = {}, required = [] } = inputSchema() as { properties?: object; required?: readonly string[] }
  const names = Object.keys(properties)
  return (
    [
      ...names.filter((name) => required.includes(name)),
      ...names.filter((name) => !required.includes(name)).map((name) => `${name}?`),
    ]
      .map(code)
      .join(', ') || '–'
  )
}
