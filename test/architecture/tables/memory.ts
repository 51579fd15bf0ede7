import type { LayerRules } from '../layer.ts'

export const memory: LayerRules = {
  folders: {
    layer: 'src/memory',
    folders: {
      '.': [],
      'session-files': ['.'],
      'working-memory': ['.', 'session-files'],
      'dual-memory': [],
      'project-memory/format': ['.', 'session-files'],
      'project-memory/store': ['.', 'session-files', 'project-memory/format'],
      'project-memory': ['session-files', 'project-memory/format', 'project-memory/store'],
    },
  },
  unusedExports: {
    'src/memory/dual-memory/json-schemas.ts publishedSchemas': 'build/schemas.ts uses it.',
    'src/memory/project-memory/format/adr-file.ts adrStatuses': 'test/memory/project-memory/formats.test.ts uses it.',
    'src/memory/project-memory/format/decision-log.ts edgeKeys': 'test/memory/project-memory/formats.test.ts uses it.',
    'src/memory/project-memory/format/excerpt.ts MOST_TOLD': 'test/memory/working-memory/excerpt.test.ts uses it.',
    'src/memory/project-memory/format/goal.ts goalParts': 'test/memory/project-memory/formats.test.ts uses it.',
    'src/memory/project-memory/format/timeline.ts renderTimeline':
      'test/memory/project-memory/formats.test.ts uses it.',
    'src/memory/session-files/board-task.ts boardStatuses': 'test/memory/session-files/values.ts uses it.',
    'src/memory/session-files/memory-config.ts defaultMemoryConfig': 'test/memory/session-files/store.test.ts uses it.',
    'src/memory/working-memory/archive.ts parseArchive': 'test/memory/working-memory/examples.ts uses it.',
    'src/memory/working-memory/changes.ts LONGEST_TEXT': 'test/memory/working-memory/changes.test.ts uses it.',
    'src/memory/working-memory/excerpt.ts MOST_TOLD': 'test/memory/working-memory/excerpt.test.ts uses it.',
  },
}
