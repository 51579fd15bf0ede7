import { mkdirSync, writeFileSync } from 'node:fs'
import { publishedSchemas } from './json-schemas.ts'

// `npm run schemas`: writes schemas/ from the definitions. A program of its own; nothing imports it.

const folder = new URL('../../../schemas/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [name, content] of Object.entries(publishedSchemas())) writeFileSync(new URL(name, folder), content)
