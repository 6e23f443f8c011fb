CREATE TABLE "import_job_chunks" (
	"job_id" uuid NOT NULL,
	"place" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "import_job_chunks_job_id_place_pk" PRIMARY KEY("job_id","place"),
	CONSTRAINT "import_job_chunks_size" CHECK (octet_length("import_job_chunks"."bytes") between 1 and 1048576)
);
--> statement-breakpoint
CREATE TABLE "import_job_corrections" (
	"job_id" uuid NOT NULL,
	"row" integer NOT NULL,
	"field" text NOT NULL,
	"value" text NOT NULL,
	CONSTRAINT "import_job_corrections_job_id_row_field_pk" PRIMARY KEY("job_id","row","field")
);
--> statement-breakpoint
CREATE TABLE "import_job_findings" (
	"job_id" uuid NOT NULL,
	"place" integer NOT NULL,
	"row" integer NOT NULL,
	"line" integer,
	"severity" text NOT NULL,
	"field" text,
	"column_name" text,
	"reason" text NOT NULL,
	"value" text,
	"label" text,
	CONSTRAINT "import_job_findings_job_id_place_pk" PRIMARY KEY("job_id","place"),
	CONSTRAINT "import_job_findings_severity" CHECK ("import_job_findings"."severity" in ('refused', 'warning'))
);
--> statement-breakpoint
CREATE TABLE "import_jobs" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"file" text NOT NULL,
	"format" text,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"state" text DEFAULT 'uploading' NOT NULL,
	"has_file" boolean DEFAULT true NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"preview" jsonb,
	"preview_version" integer,
	"result" jsonb,
	"progress" jsonb,
	"work" text,
	"reason" text,
	"worker" uuid,
	"beat_at" timestamp with time zone NOT NULL,
	"is_cancelled" boolean DEFAULT false NOT NULL,
	"change" bigint,
	"added_by" jsonb NOT NULL,
	"run_by" jsonb,
	"added_at" timestamp with time zone NOT NULL,
	"begun_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"undone_at" timestamp with time zone,
	CONSTRAINT "import_jobs_kind" CHECK ("import_jobs"."kind" in ('companies', 'people', 'rounds')),
	CONSTRAINT "import_jobs_state" CHECK ("import_jobs"."state" in ('uploading', 'waiting', 'checking', 'checked', 'importing', 'ended', 'stopped')),
	CONSTRAINT "import_jobs_work" CHECK ("import_jobs"."work" in ('check', 'import'))
);
--> statement-breakpoint
ALTER TABLE "import_job_chunks" ADD CONSTRAINT "import_job_chunks_job_id_import_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."import_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "import_job_corrections" ADD CONSTRAINT "import_job_corrections_job_id_import_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."import_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "import_job_findings" ADD CONSTRAINT "import_job_findings_job_id_import_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."import_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- Packing a piece would hold up the one session of an embedded database.
ALTER TABLE "import_job_chunks" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
