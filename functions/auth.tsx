import { WorkerEntrypoint } from 'cloudflare:workers'
import { createApp } from '../lib/http/app.ts'
import type { AuthService } from '../lib/http/session.ts'

const app = createApp()

/** Signs people in. */
export default class Auth extends WorkerEntrypoint implements AuthService {
  override fetch(request: Request) {
    return app.fetch(request, this.env as never, this.ctx)
  }
  getSession(_headers: Headers): ReturnType<AuthService['getSession']> {
    return Promise.resolve(null)
  }
}
