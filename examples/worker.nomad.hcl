# Workers as a Nomad job: one on each client of the class "aiswarm", in a clone that has joined the board
# ('aiswarm fleet join' in /srv/aiswarm/shop as the user aiswarm).

job "aiswarm-worker" {
  type = "system"

  constraint {
    attribute = "${node.class}"
    value     = "aiswarm"
  }

  group "worker" {
    task "worker" {
      driver = "raw_exec"
      user   = "aiswarm"

      config {
        command = "/bin/sh"
        args    = ["-ec", "cd /srv/aiswarm/shop && exec aiswarm worker --max-parallel 4"]
      }

      # Time for the worker to record what it has; 'aiswarm host drain HOST --wait 10m' before lets agents finish.
      kill_timeout = "30s"

      resources {
        cpu    = 2000
        memory = 6144
      }
    }
  }
}
