import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { serve } from './serve.mjs'
import { installDependencies, root } from './setup.mjs'

const port = Number(process.env.PORT || 4173)

try {
  installDependencies()
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const { status } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('Cannot build the demo')
  const { url } = await serve({ root: join(root, 'dist-demo'), port })
  console.log(`Handrail demo:\n${url}`)
} catch (error) {
  const inUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  console.error(
    inUse ? `Port ${port} is in use: set PORT to another one` : error instanceof Error ? error.message : error,
  )
  process.exit(1)
}
