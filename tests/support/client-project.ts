import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { ROOT } from '../../dev/root.ts'
import { buildClient, CLIENT } from '../../dev/runtime/build-client.ts'
import { listen } from '../../dev/runtime/ports.ts'

const run = promisify(execFile)
const npm = (cwd: string, ...args: string[]) =>
  run('npm', args, { cwd, shell: process.platform === 'win32' })

/** Packages from node_modules instead of the registry: the same files, and no network. */
const SOURCES = [
  CLIENT,
  ...['openapi-fetch', 'openapi-typescript-helpers'].map((name) => `${ROOT}node_modules/${name}`),
]

/** Packs the client and its dependencies. @returns the files */
const packClient = async (folder: string): Promise<string[]> => {
  await mkdir(folder)
  await buildClient()
  await npm(folder, 'pack', '--ignore-scripts', ...SOURCES)
  const tarballs = (await readdir(folder)).filter((file) => file.endsWith('.tgz'))
  return tarballs.map((file) => join(folder, file))
}

/**
 * Offers the packed client to all test files: builds at the same time would write the same files.
 * The first request packs it.
 */
export const offerClient = async (folder: string) => {
  let packing: Promise<string[]> | undefined
  const server = createServer(async (_request, response) => {
    packing ??= packClient(join(folder, 'client'))
    try {
      response.end(JSON.stringify(await packing))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  return listen(server)
}

/** An empty project with the packed client, as a merchant installs it. @returns its folder */
export const createClientProject = async (name: string): Promise<string> => {
  const answer = await fetch(inject('clientUrl'))
  if (!answer.ok) throw new Error(await answer.text())
  const tarballs = (await answer.json()) as string[]
  const project = join(inject('folder'), name)
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{"private": true, "type": "module"}')
  await npm(project, 'install', '--offline', '--no-audit', '--no-fund', ...tarballs)
  return project
}
