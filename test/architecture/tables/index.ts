import type { LayerRules } from '../layer.ts'
import { agents } from './agents.ts'
import { cli } from './cli.ts'
import { components } from './components.ts'
import { composition } from './composition.ts'
import { contracts } from './contracts.ts'
import { db } from './db.ts'
import { domain } from './domain.ts'
import { effects } from './effects.ts'
import { mcp } from './mcp.ts'
import { memory } from './memory.ts'
import { operations } from './operations.ts'
import { text } from './text.ts'
import { ui } from './ui.ts'

/** The rules inside each layer, by its folder. */
export const layers: Readonly<Record<string, LayerRules>> = {
  'src/domain': domain,
  'src/contracts': contracts,
  'src/db': db,
  'src/operations': operations,
  'src/agents': agents,
  'src/memory': memory,
  'src/effects': effects,
  'src/mcp': mcp,
  'src/cli': cli,
  'src/ui': ui,
  'src/text': text,
  'src/composition': composition,
  components,
}
