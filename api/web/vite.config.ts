import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { type Plugin, defineConfig } from "vite";

// The service sends what was compressed here, once. Brotli takes a minute for megabytes at its highest level.
function compressed(): Plugin {
  let folder = "";
  return {
    name: "compressed",
    apply: "build",
    configResolved({ root, build }) {
      folder = join(root, build.outDir);
    },
    closeBundle() {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(js|css|html|svg|json|ttf)$/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const content = readFileSync(path);
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: content.length > 500_000 ? 9 : 11 } }));
      }
    },
  };
}

export default defineConfig({
  plugins: [compressed()],
  build: {
    outDir: "dist",
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 5000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { page: "index.html", graphiql: "graphiql.html" },
      // Packages of GraphiQL say "use client" for servers that render React; there is no such server here.
      onLog(level, log, handle) {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE" || !log.id?.includes("node_modules")) handle(level, log);
      },
    },
  },
});
