import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withTables } from './capability-tables.js'

const path = join(import.meta.dirname, '..', '..', 'docs', 'models.md')
writeFileSync(path, withTables(readFileSync(path, 'utf8')))
