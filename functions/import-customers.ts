import { createApp } from '../lib/http/app.ts'

export default createApp()
