// Builds the page that draws one dashboard; the result is a folder of static files.
import react from "@vitejs/plugin-react";

// @grafana/plugin-compat asks @grafana/runtime 13.2.3 for names that a later runtime has, and does without
// them when they are missing. A name that is missing elsewhere is a mistake of ours.
const EXPECTED_SHIM = /^Missing export "\w*DataSourceInstance\w*" has been shimmed/;

export default {
  plugins: [react()],
  define: { "process.env.NODE_ENV": '"production"', "process.env": {}, global: "globalThis" },
  build: {
    minify: false, // it is served from this machine to this machine, and a readable stack trace is worth more
    chunkSizeWarningLimit: 20000,
    rollupOptions: {
      shimMissingExports: true,
      onwarn(warning) {
        if (warning.code === "SHIMMED_EXPORT" && !EXPECTED_SHIM.test(warning.message)) {
          throw new Error(warning.message);
        }
      },
    },
  },
};
